import type { Phrases } from './phrases.ts'

export const en: Phrases = {
  alarm: 'SOS: {who} needs help!',
  confirm: 'Please confirm:',
  times: 'Pressed {pressed}, received {received} UTC.',
  position: 'Position {age}: {map}',
  noPosition: 'Position unknown.',
  cancelled: 'All clear: {who} has cancelled the SOS.',
  resolved: 'All clear: the SOS of {who} has been resolved.',
  over: 'All clear: the SOS of {who} is over.',
  now: 'just now',
  minutes: '{n} min ago',
  hours: '{n} h ago',
  days: '{n} d ago',
  test: 'TEST: this is a test message of {app}. There is no emergency.',
  somebody: 'Somebody',
  spokenAlarm: 'This is an emergency call. {who} needs help.',
  spokenPosition: 'Last known position, {age}: latitude {latitude}, longitude {longitude}.',
  spokenLink: 'Please open the link in the text message.',
}
