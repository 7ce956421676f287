import type { Language } from '../messages/index.ts'

/** The texts of the public pages: preferences and confirmation. */
export interface PageTexts {
  title: string
  choose: string
  save: string
  everything: string
  /** Explains `everything`. */
  everythingMeans: string
  unsubscribe: string
  done: string
  again: string
  saved: string
  notFound: string
  failed: string
  /** The heading of the page that confirms a list. */
  confirm: string
  confirmAsks: string
  confirmYes: string
  /** For visitors who did not sign up. */
  confirmElse: string
  confirmed: string
  confirmedMeans: string
  nothingToConfirm: string
  nothingMeans: string
}

export const PAGE_TEXTS: Readonly<Record<Language, PageTexts>> = {
  en: {
    title: 'Email preferences',
    choose: 'Which emails would you like to receive?',
    save: 'Save',
    everything: 'Unsubscribe from everything',
    everythingMeans:
      'You will no longer get newsletters or automated emails. Receipts and similar emails will still be sent.',
    unsubscribe: 'Unsubscribe',
    done: 'You have been unsubscribed',
    again: 'Subscribe again',
    saved: 'Your preferences have been saved.',
    notFound: 'This link is incomplete. Please open it from the email again.',
    failed: 'Something went wrong. Please try again in a minute.',
    confirm: 'Confirm your subscription',
    confirmAsks: 'Do you want to receive emails from this list?',
    confirmYes: 'Yes, subscribe me',
    confirmElse: 'If you did not sign up, ignore this page. You will not receive any emails.',
    confirmed: 'Your subscription is confirmed',
    confirmedMeans: 'Thank you. You can unsubscribe at any time with the link in every email.',
    nothingToConfirm: 'There is nothing to confirm',
    nothingMeans:
      'You may have confirmed already, or this link is no longer valid. If you still want to subscribe, please sign up again.',
  },
  de: {
    title: 'E-Mail-Einstellungen',
    choose: 'Welche E-Mails möchten Sie erhalten?',
    save: 'Speichern',
    everything: 'Von allen E-Mails abmelden',
    everythingMeans:
      'Sie erhalten keine Newsletter und keine automatischen E-Mails mehr. Rechnungen und ähnliche E-Mails bekommen Sie weiterhin.',
    unsubscribe: 'Abmelden',
    done: 'Sie wurden abgemeldet',
    again: 'Erneut anmelden',
    saved: 'Ihre Einstellungen wurden gespeichert.',
    notFound: 'Dieser Link ist unvollständig. Bitte öffnen Sie ihn noch einmal aus der E-Mail.',
    failed: 'Es ist ein Fehler aufgetreten. Bitte versuchen Sie es in einer Minute noch einmal.',
    confirm: 'Anmeldung bestätigen',
    confirmAsks: 'Möchten Sie E-Mails von dieser Liste erhalten?',
    confirmYes: 'Ja, anmelden',
    confirmElse:
      'Falls Sie sich nicht angemeldet haben, ignorieren Sie bitte diese Seite. Sie erhalten dann keine E-Mails.',
    confirmed: 'Ihre Anmeldung ist bestätigt',
    confirmedMeans: 'Vielen Dank. Sie können sich jederzeit über den Link in jeder E-Mail abmelden.',
    nothingToConfirm: 'Es gibt nichts zu bestätigen',
    nothingMeans:
      'Sie haben Ihre Anmeldung vielleicht schon bestätigt, oder dieser Link ist nicht mehr gültig. Wenn Sie sich noch anmelden möchten, tragen Sie sich bitte erneut ein.',
  },
  fr: {
    title: 'Préférences d’abonnement',
    choose: 'Quels e-mails souhaitez-vous recevoir\u00a0?',
    save: 'Enregistrer',
    everything: 'Se désabonner de tous les e-mails',
    everythingMeans:
      'Vous ne recevrez plus de newsletters ni d’e-mails automatiques. Vous continuerez à recevoir les reçus et autres e-mails similaires.',
    unsubscribe: 'Se désabonner',
    done: 'Votre désabonnement a bien été pris en compte',
    again: 'Me réabonner',
    saved: 'Vos préférences ont bien été enregistrées.',
    notFound: 'Ce lien est incomplet. Veuillez l’ouvrir à nouveau depuis l’e-mail.',
    failed: 'Une erreur est survenue. Veuillez réessayer dans une minute.',
    confirm: 'Confirmez votre inscription',
    confirmAsks: 'Souhaitez-vous recevoir les e-mails de cette liste\u00a0?',
    confirmYes: 'Oui, m’inscrire',
    confirmElse: 'Si vous n’êtes pas à l’origine de cette demande, ignorez cette page. Vous ne recevrez aucun e-mail.',
    confirmed: 'Votre inscription est confirmée',
    confirmedMeans: 'Merci. Vous pouvez vous désabonner à tout moment grâce au lien présent dans chaque e-mail.',
    nothingToConfirm: 'Il n’y a rien à confirmer',
    nothingMeans:
      'Vous avez peut-être déjà confirmé votre inscription, ou ce lien n’est plus valable. Si vous souhaitez toujours recevoir ces e-mails, veuillez vous inscrire à nouveau.',
  },
  es: {
    title: 'Preferencias de correo',
    choose: '¿Qué correos desea recibir?',
    save: 'Guardar',
    everything: 'Darse de baja de todos los correos',
    everythingMeans:
      'Ya no recibirá boletines ni correos automáticos. Los recibos y otros correos similares se le seguirán enviando.',
    unsubscribe: 'Darse de baja',
    done: 'Se ha dado de baja',
    again: 'Suscribirme de nuevo',
    saved: 'Sus preferencias se han guardado.',
    notFound: 'Este enlace está incompleto. Ábralo de nuevo desde el correo.',
    failed: 'Se ha producido un error. Inténtelo de nuevo en un minuto.',
    confirm: 'Confirme su suscripción',
    confirmAsks: '¿Desea recibir los correos de esta lista?',
    confirmYes: 'Sí, suscribirme',
    confirmElse: 'Si no se ha suscrito usted, ignore esta página. No recibirá ningún correo.',
    confirmed: 'Su suscripción está confirmada',
    confirmedMeans: 'Gracias. Puede darse de baja en cualquier momento con el enlace que incluye cada correo.',
    nothingToConfirm: 'No hay nada que confirmar',
    nothingMeans:
      'Es posible que ya haya confirmado su suscripción o que este enlace ya no sea válido. Si aún desea recibir estos correos, suscríbase de nuevo.',
  },
  it: {
    title: 'Preferenze e-mail',
    choose: 'Quali e-mail desidera ricevere?',
    save: 'Salva',
    everything: 'Annulla tutte le iscrizioni',
    everythingMeans:
      'Non riceverà più newsletter né e-mail automatiche. Le ricevute e i messaggi simili Le verranno comunque inviati.',
    unsubscribe: 'Annulla l’iscrizione',
    done: 'La Sua iscrizione è stata annullata',
    again: 'Iscrivimi di nuovo',
    saved: 'Le Sue preferenze sono state salvate.',
    notFound: 'Questo link è incompleto. Lo apra di nuovo dall’e-mail.',
    failed: 'Si è verificato un errore. Riprovi tra un minuto.',
    confirm: 'Confermi la Sua iscrizione',
    confirmAsks: 'Desidera ricevere le e-mail di questa lista?',
    confirmYes: 'Sì, desidero iscrivermi',
    confirmElse: 'Se non è stato Lei a iscriversi, ignori questa pagina. Non riceverà alcuna e-mail.',
    confirmed: 'La Sua iscrizione è confermata',
    confirmedMeans: 'Grazie. Può annullare l’iscrizione in qualsiasi momento tramite il link presente in ogni e-mail.',
    nothingToConfirm: 'Non c’è nulla da confermare',
    nothingMeans:
      'Forse ha già confermato l’iscrizione, oppure questo link non è più valido. Se desidera ancora ricevere queste e-mail, si iscriva di nuovo.',
  },
  nl: {
    title: 'E-mailvoorkeuren',
    choose: 'Welke e-mails wilt u ontvangen?',
    save: 'Opslaan',
    everything: 'Afmelden voor alle e-mails',
    everythingMeans:
      'U ontvangt geen nieuwsbrieven of automatische e-mails meer. Facturen en vergelijkbare e-mails ontvangt u nog wel.',
    unsubscribe: 'Afmelden',
    done: 'U bent afgemeld',
    again: 'Opnieuw aanmelden',
    saved: 'Uw voorkeuren zijn opgeslagen.',
    notFound: 'Deze link is onvolledig. Open hem opnieuw vanuit de e-mail.',
    failed: 'Er is iets misgegaan. Probeer het over een minuut opnieuw.',
    confirm: 'Bevestig uw aanmelding',
    confirmAsks: 'Wilt u e-mails van deze lijst ontvangen?',
    confirmYes: 'Ja, meld mij aan',
    confirmElse: 'Hebt u zich niet aangemeld? Negeer dan deze pagina. U ontvangt geen e-mails.',
    confirmed: 'Uw aanmelding is bevestigd',
    confirmedMeans: 'Bedankt. U kunt zich op elk moment afmelden via de link in elke e-mail.',
    nothingToConfirm: 'Er is niets te bevestigen',
    nothingMeans:
      'Mogelijk hebt u uw aanmelding al bevestigd of is deze link niet meer geldig. Wilt u deze e-mails nog steeds ontvangen? Meld u dan opnieuw aan.',
  },
  ar: {
    title: 'تفضيلات البريد الإلكتروني',
    choose: 'ما الرسائل التي ترغب في تلقيها؟',
    save: 'حفظ',
    everything: 'إلغاء الاشتراك في جميع الرسائل',
    everythingMeans: 'لن تصلك بعد الآن نشرات إخبارية أو رسائل آلية. ستستمر الإيصالات والرسائل المشابهة في الوصول إليك.',
    unsubscribe: 'إلغاء الاشتراك',
    done: 'تم إلغاء اشتراكك',
    again: 'الاشتراك مرة أخرى',
    saved: 'تم حفظ تفضيلاتك.',
    notFound: 'هذا الرابط غير مكتمل. يرجى فتحه مرة أخرى من الرسالة.',
    failed: 'حدث خطأ ما. يرجى المحاولة مرة أخرى بعد دقيقة.',
    confirm: 'تأكيد اشتراكك',
    confirmAsks: 'هل ترغب في تلقي رسائل هذه القائمة؟',
    confirmYes: 'نعم، أرغب في الاشتراك',
    confirmElse: 'إذا لم تطلب الاشتراك، فتجاهل هذه الصفحة. لن تصلك أي رسائل.',
    confirmed: 'تم تأكيد اشتراكك',
    confirmedMeans: 'شكرًا لك. يمكنك إلغاء الاشتراك في أي وقت من خلال الرابط الموجود في كل رسالة.',
    nothingToConfirm: 'لا يوجد ما يستدعي التأكيد',
    nothingMeans:
      'ربما أكدت اشتراكك من قبل، أو لم يعد هذا الرابط صالحًا. إذا كنت لا تزال ترغب في تلقي الرسائل، فيرجى الاشتراك من جديد.',
  },
}
