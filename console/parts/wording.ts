/** The API's name of a fact in words: translated if known, unchanged otherwise. */
export const worded = (words: Readonly<Record<string, string>>, name: string): string =>
  words[name] ?? name.replaceAll('_', ' ')

/** An attempt with an unknown result is never shown as failed. */
export const shownStatus = (status: string, mayHaveArrived: true | undefined): string =>
  status === 'failed' && mayHaveArrived ? 'mayHaveArrived' : status
