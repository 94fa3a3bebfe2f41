import type { Messages } from './en.ts'

export const de: Messages = {
  code: 'de',
  verify: {
    title: 'E-Mail-Adresse bestätigen',
    mail: {
      subject: (app) => `E-Mail-Adresse für ${app} bestätigen`,
      why: (app) => `Jemand, wahrscheinlich du, hat diese Adresse für ein Konto bei ${app} angegeben.`,
      button: 'Bestätigen',
      lifetime: 'Der Link funktioniert einmal und 24 Stunden lang.',
    },
    page: {
      text: 'Klicke auf die Schaltfläche, um deine E-Mail-Adresse zu bestätigen.',
      button: 'Bestätigen',
    },
    done: {
      title: 'Bestätigt',
      text: 'Deine E-Mail-Adresse ist bestätigt. Du kannst diese Seite schließen.',
    },
  },
  reset: {
    title: 'Neues Passwort festlegen',
    mail: {
      subject: (app) => `Neues Passwort für ${app}`,
      why: (app) => `Für dein Konto bei ${app} wurde ein neues Passwort angefordert.`,
      button: 'Neues Passwort festlegen',
      lifetime: 'Der Link funktioniert einmal und 30 Minuten lang.',
    },
    page: { text: 'Du wirst auf allen Geräten abgemeldet.', button: 'Speichern' },
    done: { title: 'Gespeichert', text: 'Du kannst dich jetzt mit dem neuen Passwort anmelden.' },
    label: 'Neues Passwort',
    lengthRule: 'Mindestens 8 Zeichen.',
  },
  ignore: 'Warst du das nicht, ignoriere diese Mail; es ändert sich nichts.',
  pasteLabel: 'Link aus der E-Mail',
  pasteHint: 'Kopiere den ganzen Link aus der E-Mail und füge ihn hier ein.',
  back: (app) => `Zurück zu ${app}`,
  over: {
    title: 'Dieser Link funktioniert nicht mehr',
    text: 'Er wurde schon benutzt, ist abgelaufen oder wurde durch einen neueren ersetzt. Fordere in der App einen neuen Link an.',
  },
  tooMany: {
    title: 'Zu viele Versuche',
    text: 'Warte eine Minute, geh zurück und versuche es noch einmal.',
  },
  ownership: {
    notYours: (app) =>
      `Hast du dieses Konto nicht angelegt, bestätige es nicht. Um es zu übernehmen und alle anderen abzumelden, benutze „Passwort vergessen“ in ${app}.`,
    firstProof:
      'Deine Adresse wurde für dieses Konto nie bestätigt. Legst du ein neues Passwort fest, wird alles entfernt, was vorher mit dem Konto verbunden wurde: andere Anmeldearten wie Google, Übertragungscodes und alle Sitzungen.',
    removed: {
      subject: (app) => `Anmeldearten wurden von deinem Konto bei ${app} entfernt`,
      title: 'Anmeldearten wurden entfernt',
      text: (app, methods) =>
        `Du hast deine Adresse für ein Konto bei ${app} mit einem neuen Passwort bestätigt. Diese Anmeldearten waren vorher verbunden und wurden entfernt: ${methods}. Alle Geräte wurden abgemeldet. Deine eigenen kannst du in der App wieder verbinden.`,
    },
  },
}
