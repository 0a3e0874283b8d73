import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import { z } from 'zod'
import { type OperatorOnCall, operatorOnCall } from '../app/operator/on-call.ts'
import { languageField } from '../core/account/contact-schema.ts'
import { type OnCallGiven, onCallFields } from '../core/account/on-call-schema.ts'
import { nameField, phoneField } from '../core/account/profile-schema.ts'
import { siteNameOf } from '../service/site-name.ts'
import { type Answer, table } from './answer.ts'
import { type Act, byCommand, type CommandContext } from './command-context.ts'
import { sentAlone } from './notify.ts'
import { parsed } from './parsed.ts'

const LOG = { info() {}, warn() {}, error() {} }

type View = Awaited<ReturnType<OperatorOnCall['view']>>
type Changes = Partial<Omit<OnCallGiven, 'version'>>

const moment = z.iso.datetime({ offset: true, error: 'must be a date-time such as 2026-07-04T18:00:00+02:00' })
const fields = onCallFields.in.shape

/** `tocsin on-call …`: who is alerted when nobody takes an alarm. on-call.md. */
export function addOnCallCommands(program: Command, act: Act): void {
  const onCall = program.command('on-call').description('who is alerted when nobody takes an alarm')

  onCall
    .command('show')
    .description('who is on duty now and in the next 14 days')
    .action(act((context) => withOnCall(context, async (list, asker) => list.view(asker))))

  onCall
    .command('person <name>')
    .description('put somebody on the list, or correct them; a new number gets an SMS that says so')
    .option('--phone <number>', 'E.164', parsed(phoneField))
    .option('--language <tag>', 'BCP 47 (default: en)', parsed(languageField))
    .option('--operator <login>', 'the account with which they take a duty in the console')
    .option('--remove', 'take them off the list, with their turns and overrides', false)
    .action(
      act((context, name: string, given: PersonOptions) =>
        changed(context, async (view) => withPerson(context, view, name, given)),
      ),
    )

  onCall
    .command('rotation')
    .description('set who takes turns, and how long an alarm waits')
    .option('--order <names>', 'in turn, with commas')
    .option('--every-days <days>', 'how many days each has', parsed(fields.everyDays))
    .option('--hand-over-at <time>', 'such as 08:00', parsed(fields.handOverAt))
    .option('--starts-on <date>', 'when the first one begins', parsed(fields.startsOn))
    .option('--after-minutes <minutes>', 'how long an alarm waits for somebody', parsed(fields.afterMinutes))
    .option('--time-zone <zone>', 'IANA', parsed(z.string()))
    .action(
      act((context, { order, ...given }: Changes & { order?: string }) =>
        changed(context, async ({ list }) => {
          if (order === undefined) return given
          const ids: string[] = []
          for (const name of order.split(',').filter((one) => one.trim() !== '')) {
            const found = personCalled(list?.people ?? [], name)
            if ('refused' in found) return found
            ids.push(found.id)
          }
          return { ...given, order: ids }
        }),
      ),
    )

  onCall
    .command('override <name>')
    .description('put somebody on duty, whatever the rotation says')
    .option('--from <when>', 'RFC 3339 (default: now)', parsed(moment))
    .option('--until <when>', 'RFC 3339 (default: the next hand-over)', parsed(moment))
    .action(
      act((context, name: string, { from, until }: { readonly from?: string; readonly until?: string }) =>
        withOnCall(context, async (onCallList, asker) => {
          const { list } = await onCallList.view(asker)
          const found = personCalled(list?.people ?? [], name)
          if ('refused' in found) return found
          const span = {
            ...(from !== undefined && { from: Date.parse(from) }),
            ...(until !== undefined && { until: Date.parse(until) }),
          }
          return onCallList.override(asker, { personId: found.id, ...span })
        }),
      ),
    )

  onCall
    .command('remove-override <id>')
    .description('the rotation, or an earlier override, counts again')
    .action(act((context, id: string) => withOnCall(context, (list, asker) => list.remove(asker, id.toLowerCase()))))

  onCall
    .command('confirm')
    .description('say that somebody has looked at the list, and that it is right')
    .action(
      act((context) =>
        withOnCall(context, async (list, asker) => {
          const { list: shown } = await list.view(asker)
          return list.confirm(asker, shown?.version ?? 0)
        }),
      ),
    )
}

type PersonOptions = {
  readonly phone?: string
  readonly language?: string
  readonly operator?: string
  readonly remove: boolean
}

type Person = OnCallGiven['people'][number]
type Named = { readonly id: string; readonly name: string }

/** By name or id, in either case. Null: nobody. */
function personOf<T extends Named>(people: readonly T[], named: string): T | null | { readonly refused: string } {
  const wanted = named.trim().toLowerCase()
  const [found = null, another] = people.filter(({ id, name }) => id === wanted || name.toLowerCase() === wanted)
  if (another === undefined) return found
  return { refused: `two people on the on-call list are called ${named.trim()}: name one by their id (--json)` }
}

const nobodyCalled = (named: string) => ({ refused: `nobody on the on-call list is called ${named.trim()}` })

const personCalled = <T extends Named>(people: readonly T[], named: string): T | { readonly refused: string } =>
  personOf(people, named) ?? nobodyCalled(named)

/** The command line sees every number. */
const peopleOf = ({ list }: View): readonly Person[] =>
  (list?.people ?? []).map(({ id, name, phone, language, operatorId }) => ({
    ...{ id, name, phone: phone ?? '', language, operatorId },
  }))

async function withPerson(
  { store }: CommandContext,
  view: View,
  name: string,
  { phone, language, operator, remove }: PersonOptions,
): Promise<Changes | { readonly refused: string }> {
  const people = peopleOf(view)
  const before = personOf(people, name)
  if (before !== null && 'refused' in before) return before
  if (remove) {
    if (before === null) return nobodyCalled(name)
    const order = (view.list?.order ?? []).filter((id) => id !== before.id)
    return { people: people.filter(({ id }) => id !== before.id), order }
  }
  const account = operator === undefined ? null : await store.operatorByLogin(operator.toLowerCase())
  if (operator !== undefined && account === null) return { refused: `there is no operator ${operator}` }
  const number = phone ?? before?.phone
  if (number === undefined) return { refused: 'somebody new needs --phone' }
  const checked = nameField.safeParse(before?.name ?? name)
  if (!checked.success) return { refused: `the name ${checked.error.issues[0]!.message}` }
  const person: Person = {
    id: before?.id ?? randomUUID(),
    name: checked.data,
    phone: number,
    language: language ?? before?.language ?? 'en',
    operatorId: account?.id ?? before?.operatorId ?? null,
  }
  return { people: before === null ? [...people, person] : people.map((one) => (one.id === before.id ? person : one)) }
}

type Asker = Parameters<OperatorOnCall['view']>[0]
type Done = View | { readonly refused: string }

/** Everybody's numbers, and every change: anyone with a shell may do it all. */
async function withOnCall(
  context: CommandContext,
  work: (onCall: OperatorOnCall, asker: Asker) => Promise<Done>,
): Promise<Answer> {
  const { store, ids, config, now } = context
  const onCall = operatorOnCall({
    ...{ store, ids, log: LOG },
    clock: { now: () => now },
    machineTimeZone: () => config.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    siteName: () => siteNameOf(config),
    sendText: (text) => sentAlone(context, text),
  })
  const done = await work(onCall, { ...byCommand(context), grant: { role: 'admin', applications: null } })
  await onCall.told()
  if ('refused' in done) return { refused: refusals[done.refused] ?? done.refused }
  const shown = await onCall.view({ ...byCommand(context), grant: { role: 'admin', applications: null } })
  return { json: shown, text: textOf(shown) }
}

const changed = (
  context: CommandContext,
  change: (view: View) => Promise<Changes | { readonly refused: string }>,
): Promise<Answer> =>
  withOnCall(context, async (onCall, asker) => {
    const view = await onCall.view(asker)
    const changes = await change(view)
    if ('refused' in changes) return changes
    const { list } = view
    const given = onCallFields.safeParse({
      version: list?.version ?? 0,
      startsOn: new Date(asker.now).toISOString().slice(0, 10),
      order: [],
      ...(list && {
        timeZone: list.timeZone,
        afterMinutes: list.afterMinutes,
        handOverAt: list.handOverAt,
        startsOn: list.startsOn,
        everyDays: list.everyDays,
        order: list.order,
      }),
      people: peopleOf(view),
      ...changes,
    })
    if (!given.success) return { refused: given.error.issues.map((one) => `${one.path.join('.')} ${one.message}`)[0]! }
    return onCall.set(asker, given.data)
  })

function textOf({ list, now, duties, findings }: View): string {
  if (list === null) return 'Nobody is on call. Begin with: tocsin on-call person NAME --phone NUMBER'
  const people = list.people.map(({ name, phone, told }) => ({
    person: name,
    phone,
    told: told === null ? 'not yet' : told.accepted ? told.at : 'failed',
  }))
  const rows = duties.map(({ from, until, name, overrideId }) => ({
    ...{ from, until, 'on duty': name ?? 'NOBODY', override: overrideId },
  }))
  return [
    now.name === null ? 'NOBODY is on duty now.' : `${now.name} is on duty now, until ${now.until}.`,
    `An alarm that nobody takes within ${list.afterMinutes} min alerts whoever is on duty.`,
    ...findings.map(({ code, names }) => [`! ${code}`, ...names].join(' ')),
    table(people, 'Nobody is on the list.'),
    table(rows, 'No duties.'),
  ].join('\n')
}

const refusals: Readonly<Record<string, string>> = {
  on_call_changed: 'somebody has changed the on-call list meanwhile; try again',
  on_call_person_not_found: 'this person is not on the on-call list',
  override_invalid: 'an override begins before it ends, ends in the future, and lasts at most 62 days',
  too_many_overrides: 'there are 100 overrides; remove some first',
  override_not_found: 'there is no such override; see: tocsin on-call show',
}
