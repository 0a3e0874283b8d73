import type { Refusals } from '../../refusals.ts'
import { talkRefusals } from '../../sdk/messages.ts'

/** Refusals of operators' acts on an incident; most carry its current state. */
export const incidentRefusals = {
  incident_not_found: { kind: 'NOT_FOUND', message: 'There is no such incident.' },
  taken_by_another: { kind: 'CONFLICT', message: 'Someone else has already taken this incident. Check who it was.' },
  not_taken: { kind: 'CONFLICT', message: 'Nobody has this incident, so there is nothing to take over. Take it.' },
  pressed_again: {
    kind: 'CONFLICT',
    message: 'The person has pressed again since. Look at the incident before you take or end it.',
  },
  not_counted: {
    kind: 'CONFLICT',
    message:
      'The head count does not have this person as safe or handed over, or somebody has written since. Look at the incident before you end it.',
  },
  in_another_major: {
    kind: 'CONFLICT',
    message: 'Somebody else has put this incident into another major incident, or taken it out. Look at the incident.',
  },
  major_mixed: {
    kind: 'CONFLICT',
    message: 'Alarms, simulations and exercises are never in the same major incident. Open another one.',
  },
  major_limit: {
    kind: 'LIMIT',
    message: 'A major incident has at most 200 incidents, and at most 20 are open at once. End one, or open another.',
  },
  major_not_found: { kind: 'NOT_FOUND', message: 'There is no such major incident.' },
  undo_too_late: {
    kind: 'CONFLICT',
    message: 'It was taken more than a minute ago. If nobody helps, send the alarm to the contacts once more.',
  },
  incident_closed: { kind: 'CONFLICT', message: 'This incident has already ended. Check how, and who ended it.' },
  not_put_off: { kind: 'CONFLICT', message: 'Nothing of this incident is put off any more. Look at the board.' },
  incident_held: {
    kind: 'CONFLICT',
    message: 'This incident came with a restored backup, and nothing is sent for it. Resume it first.',
  },
  contact_stopped: {
    kind: 'CONFLICT',
    message: 'This contact gets no more messages: they stopped them, or do not know the person. Call somebody else.',
  },
  no_talk: {
    ...talkRefusals.no_talk,
    message: 'Only other users have raised this alarm: the person may not know of it.',
  },
  too_many_messages: talkRefusals.too_many_messages,
  note_limit: { kind: 'LIMIT', message: 'This incident has reached its maximum number of notes.' },
  resent_too_soon: {
    kind: 'RATE_LIMITED',
    message: 'This contact was sent the alarm less than a minute ago. Wait, or call them yourself.',
  },
} as const satisfies Refusals
