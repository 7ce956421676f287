import type { Language } from '../messages/index.ts'

/** What the page for recipients says. */
export interface Words {
  title: string
  /** Above the lists. */
  choose: string
  save: string
  everything: string
  /** What that means. */
  everythingMeans: string
  unsubscribe: string
  done: string
  again: string
  saved: string
  notFound: string
  failed: string
  /** Above what somebody is asked to confirm. */
  confirm: string
  confirmAsks: string
  confirmYes: string
  /** What to do where it was somebody else. */
  confirmElse: string
  confirmed: string
  confirmedMeans: string
  nothingToConfirm: string
  nothingMeans: string
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    title: 'What you receive',
    choose: 'These lists you are on:',
    save: 'Save',
    everything: 'Unsubscribe from everything',
    everythingMeans: 'No newsletters and no automatic emails any more. Receipts and the like still come.',
    unsubscribe: 'Unsubscribe',
    done: 'You are unsubscribed',
    again: 'That was a mistake: subscribe me again',
    saved: 'Saved',
    notFound: 'This link is not complete. Please open it again from the email.',
    failed: 'That did not work just now. Please try again in a minute.',
    confirm: 'Please confirm',
    confirmAsks: 'Do you want to receive this?',
    confirmYes: 'Yes, I want to',
    confirmElse: 'It was not you who signed up? Then do nothing: nothing will be sent to you.',
    confirmed: 'You are subscribed',
    confirmedMeans: 'Thank you. You can unsubscribe at any time, with a link in each email.',
    nothingToConfirm: 'There is nothing to confirm',
    nothingMeans: 'You have confirmed it already, or the link is an older one. Otherwise please sign up again.',
  },
  de: {
    title: 'Was Sie erhalten',
    choose: 'Auf diesen Listen stehen Sie:',
    save: 'Speichern',
    everything: 'Von allem abmelden',
    everythingMeans: 'Keine Newsletter und keine automatischen E-Mails mehr. Belege und Ähnliches kommen weiterhin.',
    unsubscribe: 'Abmelden',
    done: 'Sie sind abgemeldet',
    again: 'Das war ein Versehen: wieder anmelden',
    saved: 'Gespeichert',
    notFound: 'Dieser Link ist nicht vollständig. Bitte öffnen Sie ihn noch einmal aus der E-Mail.',
    failed: 'Das hat gerade nicht geklappt. Bitte versuchen Sie es in einer Minute noch einmal.',
    confirm: 'Bitte bestätigen Sie',
    confirmAsks: 'Möchten Sie das erhalten?',
    confirmYes: 'Ja, das möchte ich',
    confirmElse: 'Sie haben sich nicht angemeldet? Dann tun Sie nichts: Sie erhalten nichts.',
    confirmed: 'Sie sind angemeldet',
    confirmedMeans: 'Vielen Dank. Sie können sich jederzeit abmelden, mit einem Link in jeder E-Mail.',
    nothingToConfirm: 'Es gibt nichts zu bestätigen',
    nothingMeans:
      'Sie haben es schon bestätigt, oder der Link ist ein älterer. Sonst melden Sie sich bitte noch einmal an.',
  },
  fr: {
    title: 'Ce que vous recevez',
    choose: 'Vous êtes inscrit à ces listes :',
    save: 'Enregistrer',
    everything: 'Se désabonner de tout',
    everythingMeans:
      'Plus de lettres d’information ni d’e-mails automatiques. Les reçus et similaires arrivent toujours.',
    unsubscribe: 'Se désabonner',
    done: 'Vous êtes désabonné',
    again: 'C’était une erreur : me réabonner',
    saved: 'Enregistré',
    notFound: 'Ce lien n’est pas complet. Veuillez l’ouvrir à nouveau depuis l’e-mail.',
    failed: 'Cela n’a pas fonctionné. Veuillez réessayer dans une minute.',
    confirm: 'Veuillez confirmer',
    confirmAsks: 'Souhaitez-vous recevoir ceci ?',
    confirmYes: 'Oui, je le souhaite',
    confirmElse: 'Vous ne vous êtes pas inscrit ? Alors ne faites rien : vous ne recevrez rien.',
    confirmed: 'Vous êtes inscrit',
    confirmedMeans: 'Merci. Vous pouvez vous désabonner à tout moment, par un lien dans chaque e-mail.',
    nothingToConfirm: 'Il n’y a rien à confirmer',
    nothingMeans: 'Vous l’avez déjà confirmé, ou le lien est plus ancien. Sinon, veuillez vous inscrire à nouveau.',
  },
  es: {
    title: 'Lo que recibe',
    choose: 'Está en estas listas:',
    save: 'Guardar',
    everything: 'Darse de baja de todo',
    everythingMeans: 'Ni boletines ni correos automáticos. Los recibos y similares seguirán llegando.',
    unsubscribe: 'Darse de baja',
    done: 'Se ha dado de baja',
    again: 'Fue un error: suscribirme de nuevo',
    saved: 'Guardado',
    notFound: 'Este enlace no está completo. Ábralo de nuevo desde el correo.',
    failed: 'No ha funcionado. Inténtelo de nuevo en un minuto.',
    confirm: 'Confirme, por favor',
    confirmAsks: '¿Quiere recibir esto?',
    confirmYes: 'Sí, quiero',
    confirmElse: '¿No se ha suscrito usted? Entonces no haga nada: no recibirá nada.',
    confirmed: 'Está suscrito',
    confirmedMeans: 'Gracias. Puede darse de baja en cualquier momento, con un enlace en cada correo.',
    nothingToConfirm: 'No hay nada que confirmar',
    nothingMeans: 'Ya lo ha confirmado, o el enlace es más antiguo. Si no, suscríbase de nuevo.',
  },
  it: {
    title: 'Che cosa riceve',
    choose: 'È iscritto a queste liste:',
    save: 'Salva',
    everything: 'Annulla tutte le iscrizioni',
    everythingMeans: 'Niente più newsletter né e-mail automatiche. Ricevute e simili arrivano ancora.',
    unsubscribe: 'Annulla l’iscrizione',
    done: 'L’iscrizione è annullata',
    again: 'È stato un errore: iscrivimi di nuovo',
    saved: 'Salvato',
    notFound: 'Questo link non è completo. Lo apra di nuovo dall’e-mail.',
    failed: 'Non ha funzionato. Riprovi tra un minuto.',
    confirm: 'Confermi, per favore',
    confirmAsks: 'Desidera ricevere questo?',
    confirmYes: 'Sì, lo desidero',
    confirmElse: 'Non si è iscritto Lei? Allora non faccia nulla: non riceverà nulla.',
    confirmed: 'La Sua iscrizione è attiva',
    confirmedMeans: 'Grazie. Può annullare l’iscrizione in ogni momento, con un link in ogni e-mail.',
    nothingToConfirm: 'Non c’è nulla da confermare',
    nothingMeans: 'Lo ha già confermato, oppure il link è più vecchio. Altrimenti si iscriva di nuovo.',
  },
  nl: {
    title: 'Wat u ontvangt',
    choose: 'U staat op deze lijsten:',
    save: 'Opslaan',
    everything: 'Afmelden voor alles',
    everythingMeans: 'Geen nieuwsbrieven en geen automatische e-mails meer. Bonnen en dergelijke komen nog wel.',
    unsubscribe: 'Afmelden',
    done: 'U bent afgemeld',
    again: 'Dat was een vergissing: meld mij weer aan',
    saved: 'Opgeslagen',
    notFound: 'Deze link is niet volledig. Open hem opnieuw vanuit de e-mail.',
    failed: 'Dat lukte net niet. Probeer het over een minuut opnieuw.',
    confirm: 'Bevestig alstublieft',
    confirmAsks: 'Wilt u dit ontvangen?',
    confirmYes: 'Ja, dat wil ik',
    confirmElse: 'Hebt u zich niet aangemeld? Doe dan niets: u ontvangt niets.',
    confirmed: 'U bent aangemeld',
    confirmedMeans: 'Dank u. U kunt zich op elk moment afmelden, met een link in elke e-mail.',
    nothingToConfirm: 'Er is niets te bevestigen',
    nothingMeans: 'U hebt het al bevestigd, of de link is een oudere. Meld u anders opnieuw aan.',
  },
}
