import { CANNOT_BE_ASKED } from '../../../core/incident/command.ts'
import type { MailNotification, Notifier } from '../../../ports/notifier.ts'
import type { MailClient } from './smtp-client.ts'

/** Mails to contacts. SMTP offers no way to ask about an earlier mail. */
export const createMailNotifier = (client: MailClient): Notifier<MailNotification> => ({
  send: ({ attemptId, incidentId, to, subject, text, language, timeoutMs, leftMs }) =>
    client.send({
      id: attemptId,
      ...{ to, subject, text, language, timeoutMs, leftMs },
      about: { channel: 'email', incidentId, attemptId },
    }),
  lookUp: async () => CANNOT_BE_ASKED,
})
