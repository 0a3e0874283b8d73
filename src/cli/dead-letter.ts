import type { Command } from 'commander'
import { deadLetterView } from '../app/operator/mail.ts'
import { isoAt } from '../core/ingest/event-time.ts'
import { table } from './answer.ts'
import type { Act } from './command-context.ts'

/** Characters of a payload in the table. `--json` has all of it. */
const EXCERPT_CHARACTERS = 60

/** `tocsin dead-letter …`: publishes that could not be used. protocol.md#command-line. */
export function addDeadLetterCommands(program: Command, act: Act): void {
  program
    .command('dead-letter')
    .description('show publishes that could not be processed')
    .command('list')
    .description('list them, oldest first')
    .action(
      act(async ({ store }) => {
        const letters = await store.deadLetters()
        const rows = letters.map(({ id, receivedAt, userId, topic, reason, payload }) => ({
          id,
          receivedAt: isoAt(receivedAt),
          userId,
          topic,
          reason,
          payload: Buffer.from(payload).toString('utf8').slice(0, EXCERPT_CHARACTERS),
        }))
        return { json: letters.map(deadLetterView), text: table(rows, 'No dead letters.') }
      }),
    )
}
