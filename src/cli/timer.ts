import type { Command } from 'commander'
import type { By } from '../app/operator/by.ts'
import { operatorTimers } from '../app/operator/timers.ts'
import type { User } from '../core/account/profile.ts'
import { type Timer, timerView } from '../core/timer/timer.ts'
import { type Answer, record, table } from './answer.ts'
import { type Act, byCommand, type CommandContext, findApplication } from './command-context.ts'

type Chosen = { readonly timer?: string }

/** `tocsin timer …`: the overdue timers of a user. rules.md#timers. */
export function addTimerCommands(program: Command, act: Act): void {
  const timer = program.command('timer').description('the overdue timers of a user: an SOS if they do not report back')
  const ONE = ['--timer <id>', 'which timer (default: the running one that is due next)'] as const

  timer
    .command('list <app> <external-id>')
    .description('list the timers that run, then past ones')
    .action(
      act((context, appId: string, externalId: string) =>
        withUser(context, appId, externalId, async (user) => {
          const rows = (await context.store.timers(user.id)).map(timerView)
          const shown = rows.map(({ id, status, dueAt, note, overAt }) => ({ id, status, dueAt, note, overAt }))
          return { json: rows, text: table(shown, 'No timers.') }
        }),
      ),
    )

  timer
    .command('set <app> <external-id> <due-at>')
    .description('set a timer; <due-at>: RFC 3339 with a zone, 2026-07-04T17:00:00+02:00')
    .option('--note <text>', 'what the contacts should know')
    .action(
      act((context, appId: string, externalId: string, dueAt: string, { note }: { readonly note?: string }) =>
        changed(context, appId, externalId, async (timers, user, by) => {
          const set = await timers.set(user, { dueAt, note: note ?? null }, by)
          return 'refused' in set ? set : set.timer
        }),
      ),
    )

  timer
    .command('extend <app> <external-id> <due-at>')
    .description('move a running timer to a later moment')
    .option(...ONE)
    .action(
      act((context, appId: string, externalId: string, dueAt: string, { timer: id }: Chosen) =>
        changed(context, appId, externalId, (timers, user, by) =>
          timers.extend(user, id?.toLowerCase() ?? null, dueAt, by),
        ),
      ),
    )

  timer
    .command('end <app> <external-id>')
    .description('end a timer: the user has reported back')
    .option(...ONE)
    .action(
      act((context, appId: string, externalId: string, { timer: id }: Chosen) =>
        changed(context, appId, externalId, (timers, user, by) => timers.end(user, id?.toLowerCase() ?? null, by)),
      ),
    )
}

async function withUser(
  { store }: CommandContext,
  appId: string,
  externalId: string,
  work: (user: User) => Promise<Answer>,
): Promise<Answer> {
  const found = await findApplication(store, appId)
  if ('refused' in found) return found
  const user = await store.userByExternalId(found.application.id, externalId)
  return user === null ? { refused: 'the application has no such user' } : work(user)
}

type Timers = ReturnType<typeof operatorTimers>
type Changed = Timer | Extract<Awaited<ReturnType<Timers['set' | 'extend' | 'end']>>, { readonly refused: unknown }>

/** A change by the operator, with its row in the audit log. */
const changed = (
  context: CommandContext,
  appId: string,
  externalId: string,
  work: (timers: Timers, user: User, by: By) => Promise<Changed>,
): Promise<Answer> =>
  withUser(context, appId, externalId, async (user) => {
    const log = { info() {}, warn() {}, error() {} }
    const timers = operatorTimers({ ...context, log, meter: { count() {}, observe() {} } })
    const done = await work(timers, user, byCommand(context))
    if (!('refused' in done)) {
      const view = timerView(done)
      const { position: _, ...shown } = view
      return { json: view, text: record(shown) }
    }
    const { refused } = done
    return {
      refused:
        typeof refused === 'string' ? refusals[refused] : refused.map(({ field, message }) => `${field} ${message}`),
    }
  })

const refusals = {
  timer_limit: 'the user already has the maximum number of running timers',
  timer_not_found: 'the user has no such timer; list them with: tocsin timer list APP USER',
  timer_over: 'the timer has ended, or has run out and raised an SOS: then resolve that (tocsin incident list --open)',
  user_not_found: 'the user has just been erased',
} as const
