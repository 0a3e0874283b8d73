/**
 * NIST SP 800-63B asks only for length, not for character classes. With a code as second factor twelve are enough:
 * guessing is slowed, and a guess at a stolen hash costs a tenth of a second.
 */
const MIN_LENGTH = 12
/** Keeps anyone from making the service hash megabytes. */
const MAX_PASSWORD_LENGTH = 200
const MIN_DIFFERENT = 6

const different = (password: string): number => new Set(password.toLowerCase()).size

/** The reason why a password is too easy to guess, as a sentence for the person who chose it; null if it is not. */
export function weaknessOf(
  password: string,
  { login, name }: { readonly login: string; readonly name: string },
): string | null {
  const lower = password.normalize('NFC').toLowerCase()
  if ([...lower].length < MIN_LENGTH)
    return `The password needs at least ${MIN_LENGTH} characters; three or four words are easy to remember.`
  if (lower.length > MAX_PASSWORD_LENGTH) return `The password may have at most ${MAX_PASSWORD_LENGTH} characters.`
  const known = [login, ...login.split(/[._@+-]/), ...name.toLowerCase().split(/\s+/), 'tocsin', 'password']
  const left = known
    .filter((word) => word.length > 2)
    .toSorted((one, other) => other.length - one.length)
    .reduce((rest, word) => rest.replaceAll(word, ''), lower)
  if (different(left) < MIN_DIFFERENT)
    return 'The password is too easy to guess: it needs more different characters besides the name.'
  return null
}
