import type { EndOutcome } from '../../api/types.ts'

/** Texts of outcomes, and of the hand-over between shifts. */
export const shifts = {
  outcomes: {
    found_safe: 'found safe',
    hospital: 'brought to hospital',
    false_alarm: 'false alarm',
    test: 'test',
    handed_over: 'handed over',
  } as Readonly<Record<EndOutcome, string>>,
  outcome: 'Outcome',
  outcomeAsk: 'How did it turn out?',
  outcomeUnknown: 'not known',
  outcomeNote: 'In a sentence (optional)',
  outcomeHint: 'such as who has taken over, and where',
  shift: {
    unanswered: 'Unanswered',
    wasWith: (name: string) => `was with ${name}`,
    takeOver: (name: string) => `Take over from ${name}`,
    from: (name: string) => `from ${name}`,
    title: 'Shift',
    onShift: 'On shift',
    you: (name: string) => `${name} (you)`,
    nobody: 'nobody',
    nobodyElse: 'Nobody else is on shift to hand over to.',
    owners: { all: 'All', mine: 'Mine', nobody: 'Nobody’s' },
    hidden: (count: number) => `${count} not shown here and without an answer`,
    handOver: (count: number) => `Hand over all of mine (${count})`,
    to: 'To',
    offer: 'Offer',
    offerMeans: 'They stay yours until it is accepted. After 5 minutes the offer lapses, and you are told.',
    offered: (name: string, count: number) => `${name} wants to hand everything over to you. Open alarms: ${count}.`,
    accept: 'Accept',
    decline: 'Decline',
    waiting: (name: string) => `Offered to ${name}. Everything stays with you until it is accepted:`,
    takeBack: 'Take back',
    answered: {
      accepted: (name: string) => `${name} has accepted: everything is theirs now.`,
      declined: (name: string) => `NOT handed over: ${name} has declined.`,
      lapsed: (name: string) => `NOT handed over: ${name} did not accept in time.`,
    },
    taken: (by: string, person: string) => `${by} has taken over the alarm of ${person} from you.`,
    read: 'I have read it',
    note: 'Note to the next shift',
    noteMeans: 'Stands on the board until another operator confirms it, 7 days at most',
    leave: 'Leave the note',
    noteBy: (name: string, time: string) => `${name}, ${time}`,
    confirm: 'Confirm: read',
  },
}

export type ShiftTexts = typeof shifts
