// A dialog about somebody of the team, which is gone when it is closed.

export function openDialog(dialog: HTMLDialogElement): void {
  dialog.onclose = () => dialog.remove();
  document.body.append(dialog);
  dialog.showModal();
}
