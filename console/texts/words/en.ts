import type { HealthKind } from '../../logic/health-kind.ts'

/** What the service says in fixed English words, for programs to compare. */
export const words = {
  purposes: {
    reopened: 'pressed again',
    acknowledged: 'somebody answered',
    unanswered: 'nobody answered',
    check_in: 'check-in',
    last_call: 'last call',
    all_clear: 'how it ended',
  } as Readonly<Record<string, string>>,
  /** rules.md#failure-texts */
  failures: {
    'rate limited (HTTP 429)': 'rate limited (HTTP 429)',
    'connection timeout': 'connection timeout',
    'connection refused': 'connection refused',
    'connection reset': 'connection reset',
    'connection failed': 'connection failed',
    'network unreachable': 'network unreachable',
    'name not found': 'name not found',
    'certificate not accepted': 'certificate not accepted',
    'blocked address': 'blocked address',
    'invalid number': 'invalid number',
    busy: 'busy',
    'no-answer': 'no answer',
    canceled: 'cancelled',
    'provider error': 'provider error',
    'provider busy': 'provider busy',
    'no provider for texts': 'no provider for texts',
    'no provider for calls': 'no provider for calls',
    'outbox not writable': 'outbox not writable',
    'modem timeout': 'modem timeout',
    'modem down': 'modem down',
    'modem error': 'modem error',
    'spool missing': 'spool missing',
    'spool not writable': 'spool not writable',
    'spool full': 'spool full',
  } as Readonly<Record<string, string>>,
  /** With the status that the other side answered. */
  upstream: (status: string) => `upstream HTTP ${status}`,
  remarks: {
    heardBy: (gateway: string) => `no fix; heard by gateway ${gateway}`,
    earlierFix: (time: string) => `position of ${time}, not of the moment of the press`,
  },
  /** What a sentence of the service's health means for alarms; the sentence itself stays as the log has it. */
  health: {
    starting: 'The service is starting or stopping.',
    store: 'The database has a problem: alarms may not be stored.',
    broker: 'Apps and trackers may be unable to send an SOS over MQTT.',
    late: 'Messages are sent late.',
    lease: 'This node sends nothing at the moment.',
    canary: 'The synthetic SOS that the service sends to itself fails.',
    clock: 'The service does not trust the server’s clock.',
    machineClock: 'The clock of this machine is wrong.',
    modem: 'The SMS modem has a problem: texts may not leave.',
    durability: 'If the database server fails now, alarms may be lost.',
    networkServer: 'An SOS of LoRaWAN trackers may not arrive.',
    other: 'The configuration needs attention.',
  } as Readonly<Record<HealthKind, string>>,
  wordRefusals: {
    taken_by_another: 'Someone else was first and has taken this alarm.',
    undo_too_late: 'It was taken more than a minute ago. If nobody helps, send the alarm to the contacts again.',
    incident_closed: 'Someone else was first: this alarm has already ended.',
    incident_open: 'An alarm of this person is still open. End it first.',
    incident_held: 'This alarm came with a restored backup, and nothing is sent for it. Resume it first.',
    note_limit: 'This alarm has as many notes as it can hold.',
    timer_over: 'The timer has ended, or has run out and raised an SOS. Then end the SOS.',
    timer_limit: 'As many timers as possible run for this person already. End one first.',
    token_limit: 'There are too many tokens. Revoke one first.',
    all_clear_pending: 'The contacts are still being told that the last alarm is over. Try again in a few minutes.',
    simulation_changed: 'The application Simulation was changed and could tell somebody. Set it back first.',
    text_is_built_in: 'This text is the built-in one already.',
    no_target: 'The application has no address for this channel. Set it up first.',
    url_missing: 'Enter the address to post to.',
  } as Readonly<Record<string, string>>,
}

export type WordTexts = typeof words
