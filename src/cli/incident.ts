import { type Command, Option } from 'commander'
import type { By } from '../app/operator/by.ts'
import { type IncidentAct, incidentActs, perform } from '../app/operator/incident-acts.ts'
import { incidentView } from '../core/incident/event.ts'
import { type EndRemark, endOutcomes, type Incident } from '../core/incident/incident.ts'
import { placesOf, relayedPositionOf } from '../core/incident/places.ts'
import { isoAt } from '../core/ingest/event-time.ts'
import { isUuid } from '../core/ingest/topic.ts'
import { endRemarkFields } from '../core/operator/operator-schema.ts'
import type { IncidentRecord, Store } from '../ports/store.ts'
import { type Answer, table } from './answer.ts'
import { type Act, byCommand, type CommandContext } from './command-context.ts'
import { incidentText, notifiedText, type Person, personText, stateText } from './incident-words.ts'
import { personNamed } from './named.ts'
import { parsed } from './parsed.ts'

const NO_SUCH_INCIDENT = 'there is no incident with this id; list them with: tocsin incident list'
const NOTHING_PUT_OFF = { refused: 'nothing of this incident is put off' }
const MIN_PREFIX_LENGTH = 4
const MAX_CANDIDATES = 5

/** `tocsin incident …`: shows incidents, and acts on them. */
export function addIncidentCommands(program: Command, act: Act): void {
  const incident = program.command('incident').description('show and manage incidents')
  const ID = 'its id, or the first characters of it'

  incident
    .command('list')
    .description('list the incidents, newest first')
    .option('--open', 'only active or acknowledged ones', false)
    .action(act((context, { open }: { open: boolean }) => list(context, open)))

  incident
    .command('show')
    .description('show an incident: who, where, who was notified, what comes next')
    .argument('<id>', ID)
    .action(
      act(async (context, id: string) => {
        const known = await findIncident(context.store, id)
        return 'refused' in known ? known : incidentAnswer(context, known.found)
      }),
    )

  incident
    .command('watch')
    .description('follow an incident, or all open ones, and print each change until Ctrl-C')
    .argument('[id]', ID)
    .action(
      act(async (context, id: string | undefined) => {
        const known = id === undefined ? null : await findIncident(context.store, id)
        if (known !== null && 'refused' in known) return known
        const { watchIncidents } = await import('./incident-watch.ts')
        await watchIncidents(known === null ? null : known.found.incident.id, {
          ...context,
          rowOf: incidentRow,
          personOf: (of) => personOf(context.store, of),
        })
        return { json: undefined, text: '' }
      }),
    )

  incident
    .command('acknowledge')
    .description('acknowledge an incident, so that nobody else is called: as the operator, or on behalf of a contact')
    .argument('<id>', ID)
    .option('--contact <name|id>', 'who is on the way (default: the operator)')
    .action(
      act((context, id: string, { contact = null }: { contact?: string | null }) =>
        done(context, id, (by, before) => acknowledge(by, before, contact)),
      ),
    )

  incident
    .command('resolve')
    .description('close an incident as resolved')
    .argument('<id>', ID)
    .addOption(new Option('--outcome <outcome>', 'how it turned out').choices(endOutcomes))
    .option('--note <sentence>', 'how it turned out, in a sentence', parsed(endRemarkFields.note))
    .action(
      act((context, id: string, remark: EndRemark) => done(context, id, (by) => incidentActs.resolve(by, remark))),
    )

  incident
    .command('resume')
    .description('continue an incident from a restored backup; until then nothing is sent for it')
    .argument('<id>', ID)
    .action(act((context, id: string) => done(context, id, incidentActs.resume)))

  incident
    .command('alarm-now')
    .description('alarm at once with the presses that are put off')
    .argument('<id>', ID)
    .action(
      act((context, id: string) =>
        done(context, id, (by, before) => incidentActs.alarmNow(by, before, context.ids) ?? NOTHING_PUT_OFF),
      ),
    )
}

/** Finds the incident that the operator named by its id or the start of it, in either case. */
export async function findIncident(
  store: Pick<Store, 'incident' | 'incidentIds'>,
  named: string,
): Promise<{ readonly found: IncidentRecord } | { readonly refused: string }> {
  const prefix = named.toLowerCase()
  const ids = isUuid(named) ? [prefix] : await idsBeginningWith(store, prefix)
  if (ids.length > 1) {
    const more = ids.length > MAX_CANDIDATES ? ' and others' : ''
    return { refused: `more than one incident begins with ${named}: ${ids.slice(0, MAX_CANDIDATES).join(', ')}${more}` }
  }
  const found = ids[0] === undefined ? null : await store.incident(ids[0])
  return found === null ? { refused: NO_SUCH_INCIDENT } : { found }
}

const idsBeginningWith = async (store: Pick<Store, 'incidentIds'>, prefix: string): Promise<readonly string[]> =>
  prefix.length >= MIN_PREFIX_LENGTH && /^[0-9a-f-]+$/.test(prefix) ? store.incidentIds(prefix, MAX_CANDIDATES + 1) : []

/** The REST `incident` object with its owner's external id. protocol.md#command-line. */
const incidentRow = (record: IncidentRecord) => ({
  ...incidentView(record.incident, record.lastPosition, relayedPositionOf(record)),
  externalUserId: record.incident.externalUserId,
  ...(record.incident.putOff && { putOff: { until: isoAt(record.incident.putOff.until) } }),
})

async function personOf(store: CommandContext['store'], incident: Incident): Promise<Person> {
  const [user, application] = await Promise.all([store.user(incident.userId), store.application(incident.appId)])
  return {
    externalUserId: incident.externalUserId,
    name: user?.name ?? null,
    phone: user?.phone ?? null,
    application: application?.name ?? null,
  }
}

async function list({ store, now }: CommandContext, open: boolean): Promise<Answer> {
  const found = await store.incidents({ openOnly: open })
  const rows = await Promise.all(
    found.map(async ({ incident }) => {
      const person = await personOf(store, incident)
      return {
        id: incident.id,
        who: personText(person),
        phone: person.phone,
        status: stateText(incident, now),
        told: notifiedText(incident),
      }
    }),
  )
  return { json: found.map(incidentRow), text: table(rows, open ? 'No incidents are open.' : 'No incidents yet.') }
}

async function incidentAnswer({ store, now }: CommandContext, found: IncidentRecord): Promise<Answer> {
  const { incident } = found
  const [person, trail, attempts] = await Promise.all([
    personOf(store, incident),
    store.positionTrail(incident.id),
    store.attempts(incident.id),
  ])
  return {
    json: incidentRow(found),
    text: incidentText(incident, { person, places: placesOf(incident, found), trail, attempts, now }),
  }
}

/**
 * An operator's act on the incident, as the console has it. Repeating the command does no harm. Answers with the
 * incident that it changed. `actOf`: the act, or why it is refused.
 */
async function done(
  context: CommandContext,
  id: string,
  actOf: (by: By, before: Incident) => IncidentAct | { readonly refused: string },
): Promise<Answer> {
  const { store } = context
  const known = await findIncident(store, id)
  if ('refused' in known) return known
  const before = known.found.incident
  const by = byCommand(context)
  const wanted = actOf(by, before)
  if ('refused' in wanted) return wanted
  const door = { change: (...change: Parameters<Store['changeIncident']>) => store.changeIncident(...change) }
  const { incident, ...rest } = await perform(door, by, before, wanted)
  return incident === null ? { refused: NO_SUCH_INCIDENT } : incidentAnswer(context, { incident, ...rest })
}

/** By the operator, or by the contact who is `named`. */
function acknowledge(by: By, before: Incident, named: string | null): IncidentAct | { readonly refused: string } {
  const { status, closedAt } = before.state
  if (closedAt !== null) return { refused: `the incident is already over: it was ${status}` }
  const contact = contactOf(before, named)
  return 'refused' in contact ? contact : incidentActs.take(by, { contactId: contact.contactId })
}

/**
 * The incident's contact with this name or id, or with a name that starts like this. Without a name, the operator
 * answers.
 */
function contactOf(
  { contacts }: Incident,
  named: string | null,
): { readonly contactId: string | null } | { readonly refused: string } {
  if (named === null) return { contactId: null }
  const byId = contacts.find(({ contactId }) => contactId === named.trim().toLowerCase())
  return byId ?? personNamed(contacts, named, ({ name, contactId }) => `${name} (${contactId})`)
}
