import type { FieldWords } from '../../logic/field-problem.ts'

/** Why the service refuses the value of a field, by its own words. */
export const refused: FieldWords = {
  fixed: {
    'is required': 'Ce champ est obligatoire.',
    'must not be empty': 'Ce champ est obligatoire.',
    'must be text': 'Saisissez du texte.',
    'must be a number': 'Saisissez un nombre.',
    'must be a whole number': 'Saisissez un nombre entier.',
    'must be true or false': 'Choisissez oui ou non.',
    'must be on or off': 'Choisissez activé ou désactivé.',
    'must be an email address': 'Saisissez une adresse e-mail, par exemple ana@example.org.',
    'must be an E.164 number such as +4366012345678':
      'Saisissez le numéro avec l’indicatif du pays, par exemple +4366012345678.',
    'must be an E.164 number, or an address for `email`':
      'Saisissez un numéro avec l’indicatif du pays, ou une adresse e-mail.',
    'must be a BCP 47 language tag such as de or pt-BR': 'Saisissez une langue, par exemple de ou pt-BR.',
    'must be an ISO 3166-1 country code such as AT': 'Choisissez un pays.',
    'must be a number such as 112': 'Saisissez seulement des chiffres, par exemple 112.',
    'must be a colour such as #b3261e': 'Saisissez une couleur, par exemple #b3261e.',
    'must be a time zone such as Europe/Vienna or UTC': 'Choisissez un fuseau horaire.',
    'must be a date such as 2026-11-30': 'Saisissez une date.',
    'must be a time of day such as 08:00': 'Saisissez une heure, par exemple 08:00.',
    'must be in the future': 'Cela doit être dans l’avenir.',
    'must be at most 30 days ahead': 'Au plus 30 jours à l’avance.',
    'must be prefixes such as +43,+49, or any': 'Saisissez des indicatifs, par exemple +43, +49.',
    'must be an https address': 'Saisissez une adresse qui commence par https://.',
    'must be an http or https address': 'Saisissez une adresse qui commence par https://.',
    'must be an address that begins with http:// or https://': 'Saisissez une adresse qui commence par https://.',
    'must be an origin such as https://app.example.com, without a path':
      'Saisissez une adresse comme https://app.example.com, sans chemin.',
    'must be 0 (off), or from 15 minutes to 30 days': 'De 15 minutes à 30 jours, ou 0 pour désactiver.',
    'must have 1 to 128 characters and no control characters': 'De 1 à 128 caractères sur une ligne.',
    'must be the external id of a user': 'De 1 à 128 caractères sur une ligne.',
    'must have only letters, digits and . _ @ + -, and begin with a letter or digit':
      'Seulement des lettres, des chiffres et . _ @ + -, avec une lettre ou un chiffre au début.',
    'must not contain lone surrogates or NUL characters':
      'Il contient des caractères qui ne peuvent pas être enregistrés.',
    'must not contain control characters': 'Il contient des caractères qui ne peuvent pas être enregistrés.',
    'must be text without control characters': 'Il contient des caractères qui ne peuvent pas être enregistrés.',
    'must be one line of readable characters': 'Une ligne de caractères lisibles.',
    'must not contain commas, semicolons, bars or control characters':
      'Un groupe ne contient ni virgule, ni point-virgule, ni barre.',
    'has an unclosed quote, or a quote that is not doubled': 'Un guillemet n’est pas fermé.',
    'is too easy to guess: use at least six digits, five letters, or four characters that mix both':
      'Trop facile à deviner\u00a0: au moins six chiffres, cinq lettres, ou quatre caractères qui mêlent les deux.',
    'is too easy to guess': 'Trop facile à deviner.',
    'has two people with one number': 'Deux personnes ont le même numéro.',
    'has a country prefix that this application is not allowed to send to':
      'L’application ne peut pas envoyer vers ce pays.',
    'has a brace without its other half': 'Une accolade n’est pas fermée.',
    'has no placeholders': 'Ce texte n’a pas de variables.',
    'is not a known column': 'Cette colonne n’existe pas.',
    'has too many fields': 'Cette ligne a trop de colonnes.',
    'stands twice': 'La colonne figure deux fois.',
    'is the number of another contact, too': 'Un autre contact a le même numéro.',
    'was changed by somebody else meanwhile: import the file again':
      'Quelqu’un d’autre l’a modifié entre-temps\u00a0: importez le fichier à nouveau.',
  },
  longest: (count) => `${count} caractères au plus.`,
  shortest: (count) => `${count} caractères au moins.`,
  most: (limit) => `${limit} au plus.`,
  least: (limit) => `${limit} au moins.`,
  above: (limit) => `Plus de ${limit}.`,
  below: (limit) => `Moins de ${limit}.`,
  whole: (min, max) => `Un nombre entier de ${min} à ${max}.`,
  mostContacts: (count) => `${count} contacts au plus.`,
  mostEntries: (count) => `${count} entrées au plus.`,
  leastEntries: (count) => `${count} entrées au moins.`,
  oneOf: (values) => `Au choix\u00a0: ${values}.`,
  unknownFields: (names) => `Inconnu\u00a0: ${names}.`,
  repeats: (line) => `C’est déjà à la ligne ${line}.`,
  columns: (given, wanted) => `${given} colonnes au lieu de ${wanted}.`,
  missing: (name) => `${name} doit y figurer.`,
  together: (name) => `Seulement avec ${name}.`,
  wrong: 'Cette valeur n’est pas acceptée.',
}
