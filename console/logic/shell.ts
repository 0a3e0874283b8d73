/** Any typed text as one word of a POSIX shell. */
export const quoted = (text: string): string =>
  /^[\w@%+=:,./…-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** The page's action as a request to the operator API, for a script. The reader fills in the token. */
export const curlOf = (origin: string, path: string, body?: object): string =>
  [
    `curl -X POST ${origin}/v1/operator${path} -H 'Authorization: Bearer tocsin_…'`,
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}`]),
  ].join(' ')
