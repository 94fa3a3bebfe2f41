import type { Messages } from './en.ts'

export const zh: Messages = {
  code: 'zh',
  label: (service) => `通过邮件接收 ${service} 的最新消息，每月最多两封。我可以随时退订。`,
  confirm: {
    title: (service) => `接收 ${service} 的最新消息？`,
    why: (service) =>
      `有人（很可能是您本人）用此邮箱申请接收 ${service} 的最新消息，每月最多两封。在您确认之前，我们不会发送任何消息。`,
    button: '是的，请发送给我',
    lifetime: '链接在 30 天内有效。如果不是您本人操作，请忽略此邮件，您不会收到任何消息。',
    done: '已完成。您将收到最新消息，每月最多两封。您可以关闭此页面。',
  },
  unsubscribe: {
    link: '退订',
    title: '不再接收消息？',
    text: (service) => `点击按钮后，${service} 将不再向您发送消息。`,
    button: '退订',
    done: '已完成。您将不再收到消息。您可以关闭此页面。',
  },
  whyYou: (service) => `您收到此邮件，是因为您申请接收 ${service} 的最新消息。`,
  over: '此链接已失效：可能已过期，或者您已经退订。',
  tooMany: '尝试次数过多。请稍等一分钟后再试。',
  pasteLabel: '邮件中的链接',
  pasteHint: '请复制邮件中的完整链接并粘贴到这里。',
}
