import type { SetupTexts } from './en.ts'

export const setup: SetupTexts = {
  setup: {
    title: 'Configurer Tocsin',
    step: (step, of) => `Étape ${step} sur ${of}`,
    intro: 'Personne ne peut encore se connecter ici. Vous en devenez le premier administrateur.',
    loginHint: 'Un nom court ou une adresse e-mail, sans espaces.',
    badLogin: 'Uniquement des lettres sans accents, des chiffres et . _ @ + -',
    name: 'Votre nom',
    nameHint: 'Vos collègues le voient à côté de ce que vous faites.',
    next: 'Continuer',
    app: 'Votre second facteur',
    back: 'Retour',
    codes: 'Vos codes de secours',
    done: 'Je les ai conservés\u00a0: continuer vers les premiers pas',
    signIn: 'Se connecter',
    over: 'Cette adresse n’est plus valable',
  },
  onThisDevice: 'L’application est sur cet appareil\u00a0? L’ouvrir ici',
  setupRefusals: {
    setup_not_found:
      'Elle a été utilisée, a expiré ou a été remplacée. Pour en obtenir une nouvelle, redémarrez Tocsin ou exécutez sur le serveur\u00a0: tocsin operator add LOGIN --role admin',
  },
}
