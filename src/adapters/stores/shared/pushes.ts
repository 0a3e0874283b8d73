import { columnsBut, selected } from './columns.ts'

/** The marks of told states are compared only by `claimPush`. */
export const PUSHES = `SELECT ${selected('push_subscriptions', columnsBut('push_subscriptions', 'told', 'told_since', 'told_version'))}
  FROM push_subscriptions`
/** The only one yet. */
export const KEY_NAME = 'vapid'
