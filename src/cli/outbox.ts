import type { Command } from 'commander'
import { outboxView } from '../app/operator/mail.ts'
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
        const messages = (await store.outbox({ incidentId: of === null ? null : of.found.incident.id })).map(outboxView)
        const rows = messages.map(({ createdAt, channel, to, text }) => ({ createdAt, channel, to, text }))
        return { json: messages, text: table(rows, 'No messages.') }
      }),
    )
}
