import type { Command } from 'commander'
import { createPairingCodes } from '../adapters/platform/system/pairing-codes.ts'
import {
  hardwareView,
  importTrackers,
  type NewTracker,
  registerTracker,
  unpairTracker,
  watchTracker,
} from '../app/operator/trackers.ts'
import { hardwareLines } from '../core/account/hardware-lines.ts'
import { hardwareIdField, modelField, newPairingCodeField } from '../core/account/pairing-schema.ts'
import { silentAfterField } from '../core/account/silence.ts'
import { readCsv } from '../lib/csv.ts'
import { type Answer, record, table } from './answer.ts'
import { type Act, byCommand, type CommandContext, findApplication } from './command-context.ts'
import { badLineText, type FileText, readText } from './csv-file.ts'
import { addDeviceTokenCommands } from './device-token.ts'
import { parsed } from './parsed.ts'

type ImportOptions = { readonly partial: boolean }
type Given = { readonly hardwareId: string; readonly pairingCode?: string; readonly model?: string }

/** `tocsin device …`: the trackers that users may pair. access.md#pairing. */
export function addDeviceCommands(program: Command, act: Act): void {
  const importing = act((context, appId: string, file: FileText, { partial }: ImportOptions, _command: Command) =>
    importHardware(context, appId, file, partial),
  )
  const device = program.command('device').description('manage the trackers that users can pair')

  device
    .command('register')
    .description('add a tracker, or give it a new pairing code and unlock it')
    .argument('<app>')
    .requiredOption('--hardware-id <id>', 'the deviceId that the tracker sends', parsed(hardwareIdField))
    .option(
      '--pairing-code <code>',
      'the code that the user enters to pair it (default: one is made, and shown once)',
      parsed(newPairingCodeField),
    )
    .option('--model <model>', 'model of the tracker', parsed(modelField))
    .action(
      act((context, appId: string, { hardwareId, pairingCode, model }: Given) =>
        register(context, appId, { hardwareId, pairingCode: pairingCode ?? null, model: model ?? null }),
      ),
    )

  device
    .command('import')
    .description('register the trackers in a CSV file, all of them or none')
    .argument('<app>')
    .argument('<file>', 'CSV in UTF-8 with the header hardwareId,pairingCode,model')
    .option('--partial', 'register the valid lines even if others are invalid', false)
    .action(async (appId: string, file: string, options: ImportOptions, command: Command) => {
      // Read the file before opening the store: from then on a command run by root continues as the data's owner, who
      // may not be able to read it.
      await importing(appId, await readText(file), options, command)
    })

  device
    .command('list <app>')
    .description('list the registered trackers and who has paired them')
    .action(
      act(async ({ store, now }, appId: string) => {
        const found = await findApplication(store, appId)
        if ('refused' in found) return found
        const rows = (await store.registeredHardware(found.application.id)).map((row) => hardwareView(row, now))
        return { json: rows, text: table(rows, 'No trackers are registered.') }
      }),
    )

  addDeviceTokenCommands(device, act)

  device
    .command('watch <app> <hardware-id>')
    .description('warn when a tracker has not been heard from for this long')
    .requiredOption(
      '--silent-after <6h|off|default>',
      'how long; default: the setting of its application',
      asSilentAfter,
    )
    .action(act(watch))

  device
    .command('unpair <app> <hardware-id>')
    .description('unpair a tracker from its user; it stays registered')
    .action(act(unpair))
}

async function unpair(context: CommandContext, appId: string, hardwareId: string): Promise<Answer> {
  const found = await findApplication(context.store, appId)
  if ('refused' in found) return found
  const unpaired = await unpairTracker(context, found.application.id, hardwareId, byCommand(context))
  if ('refused' in unpaired) return { refused: refusals[unpaired.refused] }
  const view = hardwareView(unpaired, context.now)
  return { json: view, text: record(view) }
}

const asInterval = parsed(silentAfterField)
const DEFAULT = 'default'
/** Not null, which commander treats as an empty text. */
const asSilentAfter = (text: string): number | typeof DEFAULT => (text === DEFAULT ? DEFAULT : asInterval(text))

async function watch(
  context: CommandContext,
  appId: string,
  hardwareId: string,
  { silentAfter }: { readonly silentAfter: number | typeof DEFAULT },
): Promise<Answer> {
  const found = await findApplication(context.store, appId)
  if ('refused' in found) return found
  const given = { hardwareId, silentAfterMinutes: silentAfter === DEFAULT ? null : silentAfter }
  const watched = await watchTracker(context, found.application.id, given, byCommand(context))
  if ('refused' in watched) return { refused: refusals[watched.refused] }
  const view = hardwareView(watched, context.now)
  return { json: view, text: record(view) }
}

const refusals = {
  hardware_not_found: 'there is no tracker with this hardware id; list them with: tocsin device list APP',
  not_paired: 'no user has paired this tracker',
} as const

async function register(context: CommandContext, appId: string, given: NewTracker): Promise<Answer> {
  const { store, now } = context
  const found = await findApplication(store, appId)
  if ('refused' in found) return found
  const codes = createPairingCodes()
  const { madeCode, ...row } = await registerTracker({ store, codes }, found.application.id, given, byCommand(context))
  const view = { ...hardwareView(row, now), ...(madeCode !== undefined && { pairingCode: madeCode }) }
  return { json: view, text: record(view) }
}

async function importHardware(
  context: CommandContext,
  appId: string,
  file: FileText,
  partial: boolean,
): Promise<Answer> {
  const { store } = context
  const found = await findApplication(store, appId)
  if ('refused' in found) return found
  if ('refused' in file) return file
  const read = hardwareLines(readCsv(file.text))
  if ('refused' in read) return read
  const { bad } = read
  const codes = createPairingCodes()
  const imported = await importTrackers({ store, codes }, found.application.id, read, partial, byCommand(context))
  const json = { imported, rejected: bad }
  if (bad.length === 0) return { json, text: `Imported ${imported}.` }
  const remedy = partial ? '' : ' (--partial registers the valid lines)'
  return { json, refused: `imported ${imported}${remedy}; ${bad.map(badLineText).join('; ')}` }
}
