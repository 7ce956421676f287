import { normalizeTitle } from './cells.ts'

/** Titles of columns that need no decision, as `normalizeTitle` returns them, in the languages of common exports. */
export const EMAIL_TITLES =
  'email|emailaddress|emailadresse|adresseemail|adressemail|courriel|correoelectrónico|direccióndecorreoelectrónico|correo|indirizzoemail|' +
  'endereçodeemail|emailadres|adresemail|epostadress|epostadresse|sähköposti|メールアドレス|электроннаяпочта'
export const FIRST_NAME_TITLES =
  'firstname|first|givenname|forename|fname|vorname|prénom|prenom|nombre|nome|voornaam|imię|förnamn|fornavn|etunimi|名|имя'
export const LAST_NAME_TITLES =
  'lastname|last|familyname|lname|surname|nachname|nomdefamille|nom|apellido|apellidos|cognome|sobrenome|achternaam|nazwisko|efternamn|etternavn|sukunimi|姓|фамилия'

/** Columns that Dripline itself adds to a file of failed rows. */
export const LINE_TITLE = 'Dripline: line'
export const PROBLEM_TITLE = 'Dripline: problem'

const FIELD_OF_TITLE = new Map(
  (
    [
      ['email', EMAIL_TITLES],
      ['firstName', FIRST_NAME_TITLES],
      ['metadata.lastName', LAST_NAME_TITLES],
      ['externalId', 'externalid'],
      ['nothing', [LINE_TITLE, PROBLEM_TITLE].map(normalizeTitle).join('|')],
    ] as const
  ).flatMap(([field, titles]) => titles.split('|').map((title) => [title, field] as const)),
)

/** Returns the field of a column whose title leaves no doubt. Columns that can hold consent are never among them. */
export const fieldOfTitle = (title: string): string | undefined => FIELD_OF_TITLE.get(normalizeTitle(title))
