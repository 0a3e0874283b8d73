/** All texts of the app. The other languages have the same shape. Read in fear, on a phone: short. */
export const en = {
  language: 'Language',
  notJoined: 'This app is not set up. Open the link or scan the code that you were given.',
  call: (number: string) => `Call ${number}`,
}

export type Texts = typeof en
