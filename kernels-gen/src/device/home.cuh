// Which device of a cluster has the elements of a transaction.

constexpr u32 STM_NO_HOME = ~0u;

// Takes the place of `stm_tx`: finds the home of the first element that a transaction declares, among arrays with a part on each device. A
// part of an array is on the device of the same number, but for a page at its ends: a wrong home costs time and nothing else.
struct stm_home_finder {
  u64 devices, divided;
  u32 home;

  // Of a deferred array the engine sees nothing.
  STM_DEVICE void declare(u32, stm_intent, const stm_no_array&, u64) {}
  template <class Array>
  STM_DEVICE void declare(u32, stm_intent, const Array& array, u64 index) {
    constexpr u64 BYTES = Array::IS_CELLS ? 16 : sizeof(typename Array::value_type);
    if (home != STM_NO_HOME || !array.holds(index) || array.at.len * BYTES < divided) return;
    home = (u32)(index * devices / array.at.len);
  }
};

template <class Specialization, class... Arrays>
STM_DEVICE u32 stm_home(const stm_params& p, u32 transaction, Arrays... arrays) {
  const typename Specialization::args args = Specialization::load(p, transaction, arrays...);
  stm_home_finder finder = {p.routes[STM_ROUTE_DEVICES], p.routes[STM_ROUTE_DIVIDED], STM_NO_HOME};
  Specialization::declare(finder, p, args);
  return finder.home;
}
