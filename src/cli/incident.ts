import type { Command } from 'commander'
import { incidentView } from '../core/event.ts'
import { isUuid } from '../core/topic.ts'
import type { IncidentRecord, Store } from '../ports/store.ts'
import { type Answer, record, table } from './answer.ts'
import type { Act } from './program.ts'
import type { Site } from './site.ts'

const NO_SUCH_INCIDENT = 'no incident has this id; tocsin incident list shows them'

/** `tocsin incident …`: what happened and is happening. */
export function addIncidentCommands(program: Command, act: Act): void {
  const incident = program.command('incident').description('what happened and is happening')

  incident
    .command('list')
    .description('lists the incidents, newest first')
    .option('--open', 'only those that are active or acknowledged', false)
    .action(
      act(async ({ store }, { open }: { open: boolean }) => {
        const incidents = (await store.incidents({ openOnly: open })).map(incidentRow)
        const rows = incidents.map(({ incidentId, externalUserId, status, openedAt, actuators }) => ({
          incidentId,
          externalUserId,
          status,
          openedAt,
          actuators: actuatorText(actuators.items),
        }))
        return { json: incidents, text: table(rows, open ? 'No incident is open.' : 'No incident yet.') }
      }),
    )

  incident
    .command('show <id>')
    .description('shows an incident with its snapshot')
    .action(
      act(async ({ store }, id: string) => {
        const found = await incidentOf(store, id)
        return 'refused' in found ? found : incidentAnswer(found.found)
      }),
    )

  incident
    .command('resolve <id>')
    .description('closes an incident as resolved')
    .action(act((site, id: string) => change(site, id, 'resolve')))

  incident
    .command('resume <id>')
    .description('lets an incident that came with a restored file go on; until then nothing is sent for it')
    .action(act((site, id: string) => change(site, id, 'resume')))
}

/** The incident that the operator named, in either case of its id. */
export async function incidentOf(
  store: Pick<Store, 'incident'>,
  incidentId: string,
): Promise<{ readonly found: IncidentRecord } | { readonly refused: string }> {
  const found = isUuid(incidentId) ? await store.incident(incidentId.toLowerCase()) : null
  return found === null ? { refused: NO_SUCH_INCIDENT } : { found }
}

/** The REST `incident` object with whose it is. Decisions 6. */
const incidentRow = ({ incident, lastPosition }: Pick<IncidentRecord, 'incident' | 'lastPosition'>) => ({
  ...incidentView(incident, lastPosition),
  externalUserId: incident.externalUserId,
})

type Row = ReturnType<typeof incidentRow>
type Items = Row['actuators']['items']

const actuatorText = (items: Items): string => items.map(({ type, status }) => `${type} ${status}`).join(', ')

function incidentAnswer(found: Pick<IncidentRecord, 'incident' | 'lastPosition'>): Answer {
  const row = incidentRow(found)
  const { actuators, lastPosition, relay, ...fields } = row
  const position = lastPosition && `${lastPosition.latitude}, ${lastPosition.longitude} at ${lastPosition.at}`
  const attempts = actuators.items.flatMap(({ type, contacts = [], deliveries = [] }) => [
    ...contacts.map(({ name, status, acknowledgedAt = null, channels }) => ({
      actuator: type,
      to: name,
      status,
      detail: channels.map((each) => `${each.channel} ${each.status}`).join(', '),
      acknowledgedAt,
    })),
    ...deliveries.map(({ attempt, status, error = null }) => ({
      actuator: type,
      to: `attempt ${attempt}`,
      status,
      detail: error,
      acknowledgedAt: null,
    })),
  ])
  const about = record({ ...fields, lastPosition: position, relay: relay?.userId })
  return { json: row, text: `${about}\n\n${table(attempts, 'Nobody is to be told.')}` }
}

/** Through the write door, as any other change. A repeat changes nothing and is none the worse for it. */
async function change({ store, now }: Site, id: string, type: 'resolve' | 'resume'): Promise<Answer> {
  const known = await incidentOf(store, id)
  if ('refused' in known) return known
  const { incident, lastPosition } = await store.changeIncident({ incidentId: known.found.incident.id }, { type, now })
  return incident === null ? { refused: NO_SUCH_INCIDENT } : incidentAnswer({ incident, lastPosition })
}
