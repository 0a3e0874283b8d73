/**
 * Tells the administrators of the site by mail, in a digest with other news. Returns at once and never throws; without
 * a mail server it does nothing. `subject`: a short sentence without the site's name. `text`: what to do.
 */
export type OperatorMail = (subject: string, text: string) => void
