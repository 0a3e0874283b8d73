/** Texts of the page for the first administrator. */
export const setup = {
  setup: {
    title: 'Set up Tocsin',
    step: (step: number, of: number) => `Step ${step} of ${of}`,
    intro: 'Nobody can sign in here yet. You become the first administrator.',
    loginHint: 'A short name or an e-mail address, without spaces.',
    badLogin: 'Use only letters without accents, digits and . _ @ + -',
    name: 'Your name',
    nameHint: 'Your colleagues see it beside what you do.',
    next: 'Continue',
    app: 'Your second factor',
    back: 'Back',
    codes: 'Your recovery codes',
    done: 'I have saved them: continue to the first steps',
    signIn: 'Sign in instead',
    over: 'This address no longer works',
  },
  onThisDevice: 'Is the app on this device? Open it here',
  setupRefusals: {
    setup_not_found:
      'It was used, has expired or was replaced. For a new address restart Tocsin, or run on the server: tocsin operator add LOGIN --role admin',
  },
}

export type SetupTexts = typeof setup
