import type { ConfigProblem } from './problem.ts'
import { at, type Tree } from './tree.ts'

type Rule = {
  readonly when: (tree: Tree) => boolean
  /** One of these is required. The message names the first. */
  readonly needs: readonly [string, ...string[]]
  readonly message: string
}

const isSet = (tree: Tree, key: string): boolean => at(tree, key.split('.')) !== undefined

const sendsBy =
  (provider: string) =>
  (tree: Tree): boolean => {
    const list = at(tree, ['notifications', 'providers'])
    return Array.isArray(list) && list.includes(provider)
  }

const twilio = 'is required with the provider twilio'

/** Keys that make no sense without another key. */
const rules: readonly Rule[] = [
  { when: sendsBy('twilio'), needs: ['twilio.accountSid'], message: twilio },
  { when: sendsBy('twilio'), needs: ['twilio.authToken'], message: twilio },
  {
    when: sendsBy('twilio'),
    needs: ['twilio.from', 'twilio.messagingServiceSid'],
    message: `${twilio}, or twilio.messagingServiceSid`,
  },
  { when: sendsBy('http'), needs: ['gateway.url'], message: 'is required with the provider http' },
  { when: sendsBy('modem'), needs: ['modem.spool'], message: 'is required with the provider modem' },
  {
    when: (tree) => at(tree, ['backup']) !== undefined,
    needs: ['backup.recipient'],
    message:
      'is required with backup: the public key (age1…) of a key pair whose secret key is kept elsewhere, as age-keygen makes it',
  },
  { when: (tree) => isSet(tree, 'smtp.url'), needs: ['smtp.from'], message: 'is required with smtp.url' },
  { when: (tree) => isSet(tree, 'tls.cert'), needs: ['tls.key'], message: 'is required with tls.cert' },
  { when: (tree) => isSet(tree, 'tls.key'), needs: ['tls.cert'], message: 'is required with tls.key' },
]

/**
 * Keys required by other keys but missing. Checks the raw values, before the schema, so that they are reported together
 * with mistakes in single values.
 */
export const missingCompanions = (tree: Tree): readonly ConfigProblem[] =>
  rules
    .filter(({ when, needs }) => when(tree) && !needs.some((key) => isSet(tree, key)))
    .map(({ needs: [key], message }) => ({ key, variable: null, line: null, message }))
