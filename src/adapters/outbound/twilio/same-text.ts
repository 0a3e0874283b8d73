/** What Twilio puts before the texts of an account that has not paid yet. */
const TRIAL = /^sent from your twilio trial account - /i

/**
 * Whether a text that was sent has the purpose of `text`: an alarm and its all-clear carry the same link. Only the
 * words before the link count. Those change little from one moment to the next: times are left out, what asks to
 * confirm may be there or not, and providers replace signs (Smart Encoding).
 */
export function isSameText(sent: string, text: string): boolean {
  const [a, b] = [wordsOf(sent.replace(TRIAL, '')), wordsOf(text)]
  return a.startsWith(b) || b.startsWith(a)
}

function wordsOf(text: string): string {
  const [before = '', ...behind] = text.split(/https?:\/\/\S+/)
  return lettersOf(before) || lettersOf(behind.join(' '))
}

const lettersOf = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/[^\p{L}]/gu, '')
    .toLowerCase()
