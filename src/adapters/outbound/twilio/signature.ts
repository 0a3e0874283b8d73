import type { ProviderPost } from '../../../ports/provider-callbacks.ts'

/**
 * Whether a POST was signed by Twilio for `address`, the one that Twilio was given: the Host header, and what a proxy
 * makes of the path, have no part in it. Twilio's own check, in constant time.
 */
export type IsSigned = (address: string, post: Pick<ProviderPost, 'params' | 'signature'>) => Promise<boolean>

/** `authToken`: with it Twilio signs. Its package is large, and loaded when the first POST comes. */
export const signedWith =
  (authToken: string): IsSigned =>
  async (address, { params, signature }) => {
    if (signature === null) return false
    const { default: twilio } = await import('twilio')
    return twilio.validateRequest(authToken, signature, address, params)
  }
