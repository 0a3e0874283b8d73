import type { AdminTexts } from './en.ts'

export const admin: AdminTexts = {
  account: {
    ofToken: 'Vous êtes connecté avec un jeton. Il n’a pas de mot de passe.',
    password: 'Mot de passe',
    present: 'Mot de passe actuel',
    newPassword: 'Nouveau mot de passe',
    again: 'Répétez le nouveau mot de passe',
    differs: 'Les deux nouveaux mots de passe sont différents.',
    change: 'Changer le mot de passe',
    changed: 'Le mot de passe est changé. Vous êtes déconnecté partout ailleurs.',
    codes: 'Codes de secours',
    codesMean: 'Chacun remplace une fois l’application d’authentification, pour la nuit où votre téléphone est perdu.',
    codesLeft: (count) => (count > 1 ? `Il reste ${count} codes.` : `Il reste ${count} code.`),
    renew: 'Créer de nouveaux codes',
    sessions: 'Où vous êtes connecté',
    browser: 'Navigateur',
    thisOne: 'celui-ci',
    address: 'Adresse',
    seen: 'Dernière activité',
    end: 'Déconnecter',
    endOthers: 'Déconnecter tous les autres',
  },
  proof: {
    title: 'Est-ce toujours vous ?',
    why: 'Ceci donne un accès durable. Saisissez votre mot de passe ou les six chiffres de votre application d’authentification. C’est valable dix minutes.',
    given: 'Mot de passe ou code',
    go: 'Continuer',
  },
}
