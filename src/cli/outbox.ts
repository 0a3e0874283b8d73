import type { Command } from 'commander'
import { isoAt } from '../core/ingest/event-time.ts'
import { table } from './answer.ts'
import type { Act } from './command-context.ts'
import { findIncident } from './incident.ts'

/** `tocsin outbox …`: messages that the outbox stored instead of sending them. protocol.md#command-line. */
export function addOutboxCommands(program: Command, act: Act): void {
  program
    .command('outbox')
    .description('show the messages that the outbox kept instead of sending')
    .command('list')
    .description('list them, oldest first')
    .option('--incident <id>', 'only those of one incident')
    .action(
      act(async ({ store }, { incident: incidentId }: { incident?: string }) => {
        const of = incidentId === undefined ? null : await findIncident(store, incidentId)
        if (of !== null && 'refused' in of) return of
        const all = await store.outbox({ incidentId: of === null ? null : of.found.incident.id })
        const messages = all.map(({ id, incidentId, contactId, channel, to, text, createdAt }) => ({
          id,
          // A test message belongs to no incident.
          incidentId: incidentId || null,
          contactId: contactId || null,
          channel,
          to,
          text,
          createdAt: isoAt(createdAt),
        }))
        const rows = messages.map(({ createdAt, channel, to, text }) => ({ createdAt, channel, to, text }))
        return { json: messages, text: table(rows, 'No messages.') }
      }),
    )
}
