import type { Command } from 'commander'
import { raiseAlarm } from '../app/ingest/raise-sos.ts'
import { simulating } from '../app/operator/simulation.ts'
import type { Clock } from '../ports/clock.ts'
import type { Answer } from './answer.ts'
import { type Act, byCommand, type CommandContext } from './command-context.ts'

/** `tocsin simulate`: an SOS of an invented user, on the boards of the running service. */
export function addSimulateCommand(program: Command, act: Act): void {
  program
    .command('simulate')
    .description('simulate an SOS: it rings on the board, and its messages stay in the outbox')
    .action(act(simulate))
}

const refusals = {
  messages_leave:
    'SMS or calls leave this machine (notifications.providers), so nothing is simulated; try: tocsin drill start APP',
  simulation_changed:
    'the application Simulation was changed and could alert someone; remove its contacts, chat and webhook',
} as const

async function simulate(context: CommandContext): Promise<Answer> {
  const { store, config, ids, now } = context
  const clock: Clock = { now: () => now, after: () => () => {}, onShift() {} }
  const raise = raiseAlarm({
    // The notice of the commit wakes the service.
    door: { change: store.changeIncident.bind(store), announce() {} },
    clock,
    ids,
    log: { info() {}, warn() {}, error() {} },
    meter: { count() {}, observe() {} },
  })
  const simulated = await simulating({
    store,
    ids,
    clock,
    isOutboxOnly: () => config.notifications.providers.every((provider) => provider === 'outbox'),
    raise: ({ appId, userId }, payload) => raise({ appId, userId }, payload, 'rest'),
  })(byCommand(context))
  if ('refused' in simulated) return { refused: refusals[simulated.refused] }
  const text = `It rings on the board. End it there, or with: tocsin incident resolve ${simulated.incidentId}`
  return { json: simulated, text }
}
