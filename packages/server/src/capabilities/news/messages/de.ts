import type { Messages } from './en.ts'

export const de: Messages = {
  code: 'de',
  label: (service) =>
    `Schickt mir Neuigkeiten von ${service} per E-Mail, höchstens zweimal im Monat. Ich kann sie jederzeit abbestellen.`,
  confirm: {
    title: (service) => `Neuigkeiten von ${service}?`,
    why: (service) =>
      `Jemand, vermutlich du selbst, hat mit dieser Adresse Neuigkeiten von ${service} bestellt: höchstens zwei Mails im Monat. Ohne deine Bestätigung wird nichts verschickt.`,
    button: 'Ja, schickt mir Neuigkeiten',
    lifetime:
      'Der Link gilt 30 Tage. Wenn du das nicht warst, ignoriere diese Mail; du bekommst dann keine Neuigkeiten.',
    done: 'Fertig. Du bekommst Neuigkeiten, höchstens zweimal im Monat. Du kannst diese Seite schließen.',
  },
  unsubscribe: {
    link: 'Abbestellen',
    title: 'Keine Neuigkeiten mehr?',
    text: (service) => `Ein Klick, und ${service} schickt dir keine Neuigkeiten mehr.`,
    button: 'Abbestellen',
    done: 'Fertig. Du bekommst keine Neuigkeiten mehr. Du kannst diese Seite schließen.',
  },
  whyYou: (service) => `Du bekommst diese Mail, weil du Neuigkeiten von ${service} bestellt hast.`,
  over: 'Dieser Link gilt nicht mehr: Er ist zu alt, oder du hast die Neuigkeiten inzwischen abbestellt.',
  tooMany: 'Zu viele Versuche. Warte eine Minute und versuche es dann noch einmal.',
  pasteLabel: 'Link aus der Mail',
  pasteHint: 'Kopiere den ganzen Link aus der Mail und füge ihn hier ein.',
}
