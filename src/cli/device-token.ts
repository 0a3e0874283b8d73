import type { Command } from 'commander'
import { endTrackerToken, newTrackerToken, pairTracker, trackerDetailView } from '../app/operator/tracker-tokens.ts'
import { trackerMqttAddress } from '../config/public-address.ts'
import { setUpLinks, trackerAddress } from '../core/field/set-up.ts'
import { type Answer, record } from './answer.ts'
import { type Act, byCommand, type CommandContext, findApplication } from './command-context.ts'
import { qrText } from './qr.ts'

/** `tocsin device token` and `show`: trackers and apps that report with their own token. trackers.md. */
export function addDeviceTokenCommands(device: Command, act: Act): void {
  device
    .command('token <app> <hardware-id>')
    .description('give a paired tracker its own token, shown only once, with the set-up links of its apps')
    .option('--user <external-id>', 'pair it with this user first')
    .option('--revoke', 'revoke the token instead')
    .action(
      act((context, appId: string, hardwareId: string, { user, revoke }: { user?: string; revoke?: true }) =>
        revoke ? endToken(context, appId, hardwareId) : makeToken(context, appId, { hardwareId, user: user ?? null }),
      ),
    )

  device
    .command('pair <app> <hardware-id> <external-id>')
    .description('pair a tracker with a user, who needs neither an app nor the pairing code')
    .action(act(pair))

  device
    .command('show <app> <hardware-id>')
    .description('show whether a tracker has a token, and when it was last heard from')
    .action(act(show))
}

const refusals = {
  hardware_not_found: 'there is no tracker with this hardware id; list them with: tocsin device list APP',
  not_paired: 'no user has paired this tracker; pair it with --user, or with: tocsin device pair',
  tracker_disabled:
    'the user of this tracker or its application is disabled, so nothing that it sends would be accepted',
  user_not_found: 'there is no user with this external id; list them with: tocsin user list APP',
  paired_to_another: 'another user has paired this tracker; free it with: tocsin device unpair APP HARDWARE_ID',
  device_limit: 'the user already has the maximum number of devices (limits.devicesPerUser)',
} as const

const publicUrlOf = ({ config: { publicUrl, http } }: CommandContext): string =>
  publicUrl ?? `http://localhost:${http.port}`

async function makeToken(
  context: CommandContext,
  appId: string,
  { hardwareId, user }: { readonly hardwareId: string; readonly user: string | null },
): Promise<Answer> {
  const { store, ids, config } = context
  const found = await findApplication(store, appId)
  if ('refused' in found) return found
  const needs = { store, ids, devicesPerUser: config.limits.devicesPerUser }
  const named = { appId: found.application.id, hardwareId, externalUserId: user }
  const made = await newTrackerToken(needs, named, byCommand(context))
  if ('refused' in made) return { refused: refusals[made.refused] }
  const links = setUpLinks(publicUrlOf(context), made.token, hardwareId, trackerMqttAddress(config))
  const json = { hardwareId, token: made.token, ...links }
  return {
    json,
    text: [
      record({ hardwareId, token: made.token }),
      'The token is shown only once. Anyone who has it, or one of these links, can report as this user.',
      `Traccar Client: scan this in its settings, or enter the address and the identifier\n${links.traccar}`,
      qrText(links.traccar),
      `OwnTracks: open this on the phone\n${links.ownTracks}`,
      qrText(links.ownTracks),
      ...(links.ownTracksMqtt === null
        ? []
        : [`OwnTracks over MQTT instead\n${links.ownTracksMqtt}`, qrText(links.ownTracksMqtt)]),
    ].join('\n\n'),
  }
}

async function pair(
  context: CommandContext,
  appId: string,
  hardwareId: string,
  externalUserId: string,
): Promise<Answer> {
  const { store, ids, config } = context
  const found = await findApplication(store, appId)
  if ('refused' in found) return found
  const named = { appId: found.application.id, hardwareId }
  const user = await store.userByExternalId(found.application.id, externalUserId)
  const needs = { store, ids, devicesPerUser: config.limits.devicesPerUser }
  const paired = await pairTracker(needs, named, user, byCommand(context))
  return 'refused' in paired ? { refused: refusals[paired.refused] } : show(context, appId, hardwareId)
}

async function endToken(context: CommandContext, appId: string, hardwareId: string): Promise<Answer> {
  const found = await findApplication(context.store, appId)
  if ('refused' in found) return found
  const ended = await endTrackerToken(context, { appId: found.application.id, hardwareId }, byCommand(context))
  if ('refused' in ended) return { refused: refusals[ended.refused] }
  const view = trackerDetailView(ended.tracker, context.now)
  return { json: view, text: record(view) }
}

async function show(context: CommandContext, appId: string, hardwareId: string): Promise<Answer> {
  const found = await findApplication(context.store, appId)
  if ('refused' in found) return found
  const tracker = await context.store.hardwareDetail(found.application.id, hardwareId)
  if (tracker === null) return { refused: refusals.hardware_not_found }
  const view = { ...trackerDetailView(tracker, context.now), address: trackerAddress(publicUrlOf(context)) }
  return { json: view, text: record(view) }
}
