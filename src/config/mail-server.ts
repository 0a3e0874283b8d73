import type { Config } from '../config.ts'
import type { PlanSettings } from '../core/account/settings.ts'
import { mailFrom, serverAt } from './smtp.ts'

/** The mail server as configured; null: the site sends no mail. */
export function mailServerOf({ smtp }: Pick<Config, 'smtp'>) {
  const server = smtp.url === null ? null : serverAt(smtp.url.reveal())
  const from = smtp.from === null ? null : mailFrom(smtp.from)
  return server === null || from === null ? null : { ...server, from }
}

/** The settings for applications without their own, and whether their contacts get mails as well. */
export const planSettings = (
  config: Pick<Config, 'smtp' | 'notifications'>,
  sendsMail = config.smtp.url !== null,
): PlanSettings => ({ ...config.notifications.defaults, ...(sendsMail && { email: true }) })
