declare module 'unicode-confusables' {
  export function rectifyConfusion(text: string): string
}
