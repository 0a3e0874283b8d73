import type { Command } from 'commander'
import { createTimeSync } from '../adapters/platform/system/time-sync.ts'
import { acceptClock } from '../app/operator/clock.ts'
import { isoAt, isoOrNull } from '../core/ingest/event-time.ts'
import { type Answer, record } from './answer.ts'
import { type Act, byCommand, type CommandContext } from './command-context.ts'

/**
 * `tocsin clock`: shows whether the service trusts this machine's clock, and makes it trust the clock.
 * keeping.md#clock.
 */
export function addClockCommands(program: Command, act: Act): void {
  const clock = program
    .command('clock')
    .description('show whether the service trusts the clock of this machine')
    .action(act(show))

  clock
    .command('accept')
    .description('confirm that the clock is right; the service trusts it within 2 s, or from its next start')
    .action(
      act(async (context) => {
        await acceptClock(context.store, byCommand(context))
        return {
          json: { accepted: isoAt(context.now) },
          text: `Accepted: it is ${isoAt(context.now)}. Data older than retention.* allows is deleted within the hour.`,
        }
      }),
    )
}

async function show({ store, now }: CommandContext): Promise<Answer> {
  const { newestMoment, doubt } = await store.clockRecord()
  const shown = {
    now: isoAt(now),
    believed: doubt === null,
    newestMoment: isoOrNull(newestMoment === 0 ? null : newestMoment),
    measuredBy: isoOrNull(doubt?.believedMoment ?? null),
    synchronised: await createTimeSync()(now),
    needsOperator: doubt?.needsOperator ?? false,
  }
  const advice =
    doubt === null
      ? ''
      : `\n\nWhile the clock is not trusted, nothing is deleted and no tracking link expires. Alarms are accepted and sent as usual. If ${shown.now} is right, run: tocsin clock accept`
  return { json: shown, text: `${record(shown)}${advice}` }
}
