import type { Command } from 'commander'
import { isoAt } from '../core/ingest/event-time.ts'
import { table } from './answer.ts'
import type { Act } from './command-context.ts'

/** How much of a payload the table shows. `--json` has all of it. */
const EXCERPT_CHARACTERS = 60

/** `tocsin dead-letter …`: publishes that could not be used. protocol.md#command-line. */
export function addDeadLetterCommands(program: Command, act: Act): void {
  program
    .command('dead-letter')
    .description('show publishes that could not be used')
    .command('list')
    .description('list them, oldest first')
    .action(
      act(async ({ store }) => {
        const letters = (await store.deadLetters()).map(({ payload, receivedAt, ...letter }) => ({
          ...letter,
          payload: Buffer.from(payload),
          receivedAt: isoAt(receivedAt),
        }))
        const rows = letters.map(({ id, receivedAt, userId, topic, reason, payload }) => ({
          id,
          receivedAt,
          userId,
          topic,
          reason,
          payload: payload.toString('utf8').slice(0, EXCERPT_CHARACTERS),
        }))
        return {
          json: letters.map(({ id, userId, topic, reason, payload, receivedAt }) => ({
            id,
            userId,
            topic,
            reason,
            payload: payload.toString('base64'),
            receivedAt,
          })),
          text: table(rows, 'No dead letters.'),
        }
      }),
    )
}
