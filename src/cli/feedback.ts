import type { Command } from 'commander'
import { feedbackView } from '../app/operator/mail.ts'
import { table } from './answer.ts'
import type { Act } from './command-context.ts'

/** `tocsin feedback …`: what users wrote in the app. */
export function addFeedbackCommands(program: Command, act: Act): void {
  program
    .command('feedback')
    .description('show the feedback that users sent from the app')
    .command('list')
    .description('list it, oldest first')
    .action(
      act(async ({ store }) => {
        const all = (await store.feedback()).map(feedbackView)
        const rows = all.map(({ createdAt, externalUserId, category, rating, message }) => ({
          createdAt,
          externalUserId,
          category,
          rating,
          message,
        }))
        return { json: all, text: table(rows, 'No feedback yet.') }
      }),
    )
}
