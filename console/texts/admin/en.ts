/** Texts of what is set up now and then: the own account, applications, the service itself. */
export const admin = {
  account: {
    ofToken: 'You are signed in with a token. It has no password.',
    password: 'Password',
    present: 'Current password',
    newPassword: 'New password',
    again: 'New password again',
    differs: 'The two new passwords differ.',
    change: 'Change password',
    changed: 'The password is changed. You are signed out everywhere else.',
    codes: 'Recovery codes',
    codesMean: 'Each works once in place of the authenticator app, for the night when your phone is lost.',
    codesLeft: (count: number) => (count === 1 ? '1 code left.' : `${count} codes left.`),
    renew: 'Make new codes',
    sessions: 'Where you are signed in',
    browser: 'Browser',
    thisOne: 'this one',
    address: 'Address',
    seen: 'Last seen',
    end: 'Sign out',
    endOthers: 'Sign out all the others',
  },
  proof: {
    title: 'Is it still you?',
    why: 'This gives lasting access. Type your password, or the six digits from your authenticator app. It counts for ten minutes.',
    given: 'Password or code',
    go: 'Continue',
  },
}

export type AdminTexts = typeof admin
