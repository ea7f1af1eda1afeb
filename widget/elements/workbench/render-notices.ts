import { html, nothing, type TemplateResult } from 'lit';
import type { Notice } from '../../state/index.ts';
import { icon } from '../../styles/index.ts';
import type { WorkbenchContext } from './workbench-context.ts';

/** Most files listed; the rest is counted. */
const LISTED = 8;

/** Renders the notices. Each stays until it is dismissed or outdated. */
export function renderNotices(context: WorkbenchContext): TemplateResult | typeof nothing {
  const { optimizer, i18n } = context;
  // The offline notice covers network errors.
  const shown = optimizer.notices.filter(({ error }) => !(optimizer.offline && error?.code === 'network'));
  if (shown.length === 0 && !optimizer.offline) return nothing;
  return html`
    <div class="notices">
      ${
        optimizer.offline
          ? html`<div class="notice warning" part="notice">${icon('offline')}
              <p class="content">${i18n.t('notice.offline')}</p></div>`
          : nothing
      }
      ${shown.map((notice) => renderNotice(notice, context))}
    </div>
  `;
}

function renderNotice(notice: Notice, context: WorkbenchContext): TemplateResult {
  const { i18n, optimizer, act, exportFirst, locked } = context;
  const { t } = i18n;
  const ids = notice.error?.ids ?? [];
  const hopeless = ids.length > 0 && ids.every((id) => optimizer.items.get(id)?.error?.retryable === false);
  const affordable = Math.min(optimizer.cost?.affordable ?? 0, ids.length);
  return html`
    <div class="notice ${notice.kind === 'error' ? 'danger' : 'warning'}" part="notice">
      ${icon('alert')}
      <div class="content ways">
        <div>
          <p id="notice-${notice.id}">${notice.message}</p>
          ${renderDetails(notice, context)}
        </div>
        ${notice.actions.map((action) => {
          const first = action === 'export-first';
          // Downloads are allowed in a locked element.
          if ((locked && action !== 'download-missing') || (first && affordable === 0)) return nothing;
          if (action === 'retry' && hopeless) return nothing;
          return html`<button type="button" class="button" part="button" aria-describedby="notice-${notice.id}"
            @click=${() => (first ? exportFirst(affordable, ids) : act(action))}>${
              first
                ? t('export.first', { count: affordable })
                : t(
                    action === 'check-cost'
                      ? 'notice.check-cost'
                      : action === 'renew'
                        ? 'notice.renew'
                        : 'action.retry',
                  )
            }</button>`;
        })}
      </div>
      <button type="button" class="button quiet icon-only" part="button" aria-label=${t('notice.dismiss')}
        aria-describedby="notice-${notice.id}" @click=${() => optimizer.dismiss(notice.id)}>${icon('close')}</button>
    </div>
  `;
}

function renderDetails({ files, error }: Notice, { i18n }: WorkbenchContext): TemplateResult | typeof nothing {
  const { t } = i18n;
  const more = files.length - LISTED;
  const list =
    files.length > 1
      ? html`<ul class="files">
          ${files.slice(0, LISTED).map(({ message }) => html`<li>${message}</li>`)}
          ${more > 0 ? html`<li class="muted">${t('notice.more', { count: more })}</li>` : nothing}
        </ul>`
      : nothing;
  const id = error?.requestId;
  const few = files.length <= 5;
  if (few && !id) return list;
  return html`${few ? list : nothing}<details><summary>${t('notice.details')}</summary>${few ? nothing : list}
    ${id ? html`<p class="muted small">${t('notice.request', { id })}</p>` : nothing}</details>`;
}
