/** Where Twilio reports what became of an attempt. `publicUrl` has no slash at its end. */
export const statusAddress = (publicUrl: string, attemptId: string): string => `${publicUrl}/twilio/${attemptId}/status`

/** Where Twilio asks what comes next in the call of an attempt. */
export const callAddress = (publicUrl: string, attemptId: string): string => `${publicUrl}/twilio/${attemptId}/call`
