/** Any typed text as one word of a POSIX shell. */
export const quoted = (text: string): string =>
  /^[\w@%+=:,./…-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** The request of the operator API that does what the page does, for a script. The reader fills in the token. */
export const curlOf = (origin: string, path: string, body?: object): string =>
  [
    `curl -X POST ${origin}/v1/operator${path} -H 'Authorization: Bearer tocsin_…'`,
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}`]),
  ].join(' ')
