/** The failure text of an HTTP answer that is not a 2xx. Decisions 4. */
export const httpFailureText = (status: number): string =>
  status === 429 ? 'rate limited (HTTP 429)' : `upstream HTTP ${status}`

export const isHttpSuccess = (status: number): boolean => status >= 200 && status < 300
