// Entry of the classic script: defines the elements, exports nothing.
import './define.ts';
