import type { ProviderPost } from '../../../ports/provider-callbacks.ts'

/**
 * Whether Twilio signed a POST for `address`, the URL that Twilio was given; the Host header and proxies' path changes
 * do not matter. Twilio's own check, in constant time.
 */
export type IsSigned = (address: string, post: Pick<ProviderPost, 'params' | 'signature'>) => Promise<boolean>

/** `authToken`: the key of Twilio's signatures. Twilio's package is large, so it is loaded at the first POST. */
export const signedWith =
  (authToken: string): IsSigned =>
  async (address, { params, signature }) => {
    if (signature === null) return false
    const { default: twilio } = await import('twilio')
    return twilio.validateRequest(authToken, signature, address, params)
  }
