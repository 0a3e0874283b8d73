/** The translations of the service's fixed English words into one language. */
type Words = {
  readonly failures: Readonly<Record<string, string>>
  readonly upstream: (status: string) => string
  readonly upstreamMail: (status: string) => string
  readonly remarks: { readonly heardBy: (gateway: string) => string; readonly earlierFix: (time: string) => string }
}

/** The reason why a message failed (rules.md#failure-texts). A text that is not fixed is shown unchanged. */
export function failureText(error: string, { failures, upstream, upstreamMail }: Words): string {
  if (Object.hasOwn(failures, error)) return failures[error]!
  const [, protocol, status] = /^upstream (HTTP|SMTP) (\d{3})$/.exec(error) ?? []
  if (status !== undefined) return protocol === 'HTTP' ? upstream(status) : upstreamMail(status)
  const [, code] = /^provider error (.{1,100})$/.exec(error) ?? []
  return code === undefined ? error : `${failures['provider error']} ${code}`
}

/** A remark on the origin of a LoRaWAN press. `moment`: how this screen writes a time (ISO 8601). */
export function remarkText(message: string, { remarks }: Words, moment: (at: string) => string): string {
  const [, gateway] = /^is missing: no fix; heard by gateway (.+)$/.exec(message) ?? []
  if (gateway !== undefined) return remarks.heardBy(gateway)
  const [, at] = /^is of (\S+), not of the moment of the press$/.exec(message) ?? []
  return at === undefined || Number.isNaN(Date.parse(at)) ? message : remarks.earlierFix(moment(at))
}
