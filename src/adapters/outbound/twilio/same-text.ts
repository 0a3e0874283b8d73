/** The prefix that Twilio adds to the texts of trial accounts. */
const TRIAL = /^sent from your twilio trial account - /i

/**
 * Whether a sent text has the same purpose as `text`: an alarm and its all-clear carry the same link. Only the words
 * before the link count. They vary little over time: they contain no times, the request to confirm may be missing, and
 * providers replace characters (Smart Encoding).
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
