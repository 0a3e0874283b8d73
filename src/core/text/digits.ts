const DIGIT = /^\p{Nd}$/u

/** Unicode has the ten digits of a script one after the other, beginning with its zero. */
function asciiDigit(digit: string): string {
  const at = digit.codePointAt(0)!
  let before = 0
  while (DIGIT.test(String.fromCodePoint(at - before - 1))) before += 1
  return String(before % 10)
}

/** `text` with the digits of every script as 0 to 9, and Arabic commas and decimal points as ours. */
export const withOurDigits = (text: string): string =>
  text
    .replaceAll(/(?!\d)\p{Nd}/gu, asciiDigit)
    .replaceAll('\u066b', '.')
    .replaceAll('\u060c', ',')
